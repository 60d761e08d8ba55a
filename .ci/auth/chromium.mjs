// Controls a headless Chromium with the DevTools protocol over file descriptors 3 and 4.

import { spawn } from 'node:child_process';

/** Starts a browser that can only reach this machine, and ends with this program. */
export async function launch(chromium, profile, ...options) {
  const child = spawn(chromium, [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--disable-dev-shm-usage', `--user-data-dir=${profile}`, '--no-proxy-server',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    '--remote-debugging-pipe', ...options, 'about:blank',
  ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  process.on('exit', () => child.kill('SIGKILL'));

  const answers = new Map();
  let unread = '';
  child.stdio[4].on('data', (data) => {
    const messages = (unread + data).split('\0');
    unread = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      answers.get(message.id)?.(message.result ?? {});
    }
  });

  let count = 0;
  function send(method, params = {}, sessionId = undefined) {
    count += 1;
    child.stdio[3].write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`);
    return new Promise((done) => answers.set(count, done));
  }

  /** Attaches to a tab, or to a frame of another site. */
  async function attach(targetId) {
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    return {
      targetId,
      /** Returns the value of a script. */
      async evaluate(expression) {
        const { result } = await send('Runtime.evaluate', { expression, awaitPromise: true }, sessionId);
        return result?.value;
      },
      /** Returns the frame tree's root, with the URL that is shown or could not be reached. */
      frame: async () => (await send('Page.getFrameTree', {}, sessionId)).frameTree.frame,
      /** Sends another command. */
      send: (method, params) => send(method, params, sessionId),
      close: () => send('Target.closeTarget', { targetId }),
    };
  }

  /** Opens a URL in a new tab. */
  const open = async (url) => attach((await send('Target.createTarget', { url })).targetId);

  /** Attaches to the first frame of another site in a tab, whose URL begins with `url`. */
  async function foreignFrame(tab, url = '') {
    const { targetInfos } = await send('Target.getTargets');
    const isWithin = (id) => id === tab.targetId || targetInfos.some((it) => it.targetId === id && isWithin(it.parentFrameId));
    const found = targetInfos.find((it) => it.type === 'iframe' && it.url.startsWith(url) && isWithin(it.targetId));
    return found && attach(found.targetId);
  }

  /** Returns all cookies. */
  const cookies = async () => (await send('Storage.getCookies')).cookies;
  return { open, foreignFrame, cookies };
}
