// Takes the picture in docs/apps.md.
import { writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { pause } from '../auth/harness.mjs';

const WIDTH = 600;
/** Options of Chromium for a picture. */
export const OPTIONS = ['--force-device-scale-factor=2', '--hide-scrollbars', `--window-size=${WIDTH},900`];

/** Writes a picture of the host with the clock to a file. */
export async function takePicture(host, file) {
  await host.call('time', { utc_offset: 2 });
  await host.inPage(`document.getElementById('zone').textContent === 'UTC+2'`);
  const page = await host.page();
  await page.evaluate(`show({ content: [{ type: 'text', text: '10:08:42' }] })`);
  await host.evaluate(`document.getElementById('text').textContent = '10:08:42'`);
  // The hands move.
  await pause(1000);
  const height = await host.evaluate('document.body.getBoundingClientRect().bottom + 16');
  const clip = { x: 0, y: 0, width: WIDTH, height, scale: 1 };
  const { data } = await host.tab.send('Page.captureScreenshot', { format: 'png', clip });
  writeFileSync(file, smaller(Buffer.from(data, 'base64')));
}

/** Compresses a PNG file of 8-bit RGB without the filters of rows, which only help photos: a fifth smaller. */
function smaller(png) {
  const width = png.readUInt32BE(16) * 3;
  let packed = Buffer.alloc(0);
  const chunks = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const chunk = png.subarray(at, at + png.readUInt32BE(at) + 12);
    if (chunk.toString('latin1', 4, 8) === 'IDAT') packed = Buffer.concat([packed, chunk.subarray(8, -4)]);
    else chunks.push(chunk);
  }
  const rows = inflateSync(packed);
  for (let start = 0, above = -1; start < rows.length; above = start, start += width + 1) {
    const filter = rows[start];
    rows[start] = 0;
    for (let x = 1; x <= width; x += 1) {
      const left = x > 3 ? rows[start + x - 3] : 0;
      const up = above >= 0 ? rows[above + x] : 0;
      const corner = x > 3 && above >= 0 ? rows[above + x - 3] : 0;
      rows[start + x] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
    }
  }
  const body = Buffer.concat([Buffer.from('IDAT'), deflateSync(rows, { level: 9 })]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 8), ...chunks.slice(0, -1), length, body, sum, chunks.at(-1)]);
}

/** The predictor of the filter of this name. */
function paeth(left, up, corner) {
  const distance = (it) => Math.abs(left + up - corner - it);
  return [left, up, corner].reduce((best, it) => (distance(it) < distance(best) ? it : best));
}
