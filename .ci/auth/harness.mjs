// Helpers that start programs and check results, for the scripts in this folder.

import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// ---- programs ----------------------------------------------------------------------------------

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Writes a program into the folder `work` that runs a script of this folder with the current Node. */
export function script(work, name, ...args) {
  const path = join(work, name);
  const command = [process.execPath, join(HERE, `${name}.mjs`), ...args].map((it) => `'${it}'`);
  writeFileSync(path, `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Starts a program and collects its output. */
export function start(program, args, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const process_ = { child, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => { process_[name] += data; });
  process_.ended = new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => { running.delete(child); done(code); });
  });
  return process_;
}

/** Returns a free port. */
export async function freePort() {
  const listener = createServer();
  await new Promise((done) => listener.listen(0, '127.0.0.1', done));
  const { port } = listener.address();
  await new Promise((done) => listener.close(done));
  return port;
}

/** Waits until a program answers at a URL. */
export async function answered(program, url) {
  for (let tries = 0; ; tries += 1) {
    try {
      await fetch(url, { method: 'POST' });
      return;
    } catch (error) {
      if (tries > 100 || program.child.exitCode !== null) throw new Error(`${url}: ${program.stderr}`, { cause: error });
      await pause(100);
    }
  }
}

// ---- checks ------------------------------------------------------------------------------------

let failed = 0;

export function check(what, holds, found) {
  if (holds) return;
  failed += 1;
  console.log(`FAILED: ${what}${found === undefined ? '' : `\n  found: ${JSON.stringify(found, null, 1)}`}`);
}

/** Runs a part of the test. The part fails if one of its checks fails. */
export async function part(name, run) {
  const [before, start] = [failed, Date.now()];
  try {
    await run();
  } catch (error) {
    check(name, false, error.stack);
  }
  if (failed === before) console.log(`ok: ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

/** Prints a summary, and ends this program. */
export function end() {
  console.log(failed === 0 ? 'everything held' : `${failed} checks failed`);
  process.exit(failed === 0 ? 0 : 1);
}
