// Declarations of pages that try to loosen the policy, as `_meta.ui`. Each must either be refused, or give a policy in
// which nothing but the page itself can be reached.

const EVERYWHERE = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
export const MIME_TYPE = 'text/html;profile=mcp-app';

/** Declares domains in all four lists. */
const domains = (...declared) => ({ csp: Object.fromEntries(EVERYWHERE.map((list) => [list, declared])) });

/** The cases for a listener on a port of 127.0.0.1: `{ name: { ui, … } }`. */
export function hostile(port) {
  const here = `http://127.0.0.1:${port}`;
  return {
    semicolon: { ui: domains(`${here}; script-src * 'unsafe-eval'; connect-src *`, `;connect-src ${here}`) },
    comma: { ui: domains(`${here},default-src *`, `,${here}`) },
    newline: { ui: domains(`${here}\n`, `\n${here}`, `x\r\nContent-Security-Policy: connect-src ${here}`) },
    space: { ui: domains(`https://a.example ${here}`, ` ${here}`, `${here} `, `\t${here}`, `${here}\f*`, `${here}\0`) },
    quotes: { ui: domains(`'${here}'`, `"${here}"`, `${here}'`) },
    keywords: {
      ui: domains("'unsafe-eval'", "'self'", "'strict-dynamic'", "'nonce-abc'", "'wasm-unsafe-eval'", "'unsafe-hashes'"),
    },
    stars: { ui: domains('*', 'http://*', `*://127.0.0.1:${port}`, `*:${port}`, '*:*', 'http://127.0.0.1:*') },
    'stars in hosts': { ui: domains(`http://*.0.0.1:${port}`, `http://*:${port}`, `http://127.*:${port}`, 'http://*.*') },
    schemes: { ui: domains('http:', 'https:', 'data:', 'blob:', 'filesystem:', 'ws:', 'javascript:alert(1)', 'http://') },
    'other schemes': { ui: domains(`ftp://127.0.0.1:${port}`, `file://127.0.0.1:${port}`, `http+https://127.0.0.1:${port}`) },
    'no scheme': { ui: domains(`127.0.0.1:${port}`, `//127.0.0.1:${port}`, `localhost:${port}`, '', ':', '.') },
    'user information': { ui: domains(`http://user@127.0.0.1:${port}`, `https://a.example@127.0.0.1:${port}`) },
    paths: { ui: domains(`${here}/`, `${here}/fetch`, `${here}?`, `${here}#`, `${here}\\image`, `${here}/../..`) },
    IDNA: { ui: domains(`http://①②⑦.0.0.1:${port}`, `http://127。0。0。1:${port}`, `http://%31%32%37.0.0.1:${port}`) },
    'trailing dots': { ui: domains(`http://127.0.0.1.:${port}`, `http://localhost.:${port}`, `http://.127.0.0.1:${port}`) },
    ports: {
      ui: domains(`http://127.0.0.1:${port + 65536}`, 'http://127.0.0.1:0', `http://127.0.0.1:+${port}`,
        `http://127.0.0.1: ${port}`, 'http://127.0.0.1:-1', 'http://127.0.0.1:', `http://127.0.0.1:${port}0000`),
    },
    'numbers as hosts': {
      ui: domains(`http://2130706433:${port}`, `http://0x7f.1:${port}`, `http://127.1:${port}`, `http://0177.0.0.1:${port}`),
    },
    'ten thousand domains': {
      ui: domains(...Array.from({ length: 10_000 }, (_, it) => `https://a${it}.example`), `https://${'a'.repeat(99_999)}`),
    },
    'wrong types of lists': {
      ui: { csp: { connectDomains: here, resourceDomains: { 0: here, length: 1 }, frameDomains: null, baseUriDomains: 7 } },
    },
    'wrong types in lists': { ui: domains([here], { origin: here }, 7, null, true) },
    'a string for csp': { ui: { csp: 'default-src *', permissions: 'camera *' }, allow: '' },
    'a list for csp': { ui: { csp: [here], permissions: ['camera', 'microphone'] }, allow: '' },
    'a string for ui': { ui: here },
    'other names': {
      ui: {
        csp: { 'connect-src': [here], connect_domains: [here], 'script-src *; x': [here] },
        permissions: { usb: {}, 'display-capture': {}, 'camera *; geolocation': {}, '*': {}, 'clipboard-write': {} },
      },
      allow: '',
    },
    'a listing that is replaced': { listed: domains(here), ui: { permissions: { microphone: {}, geolocation: null } }, allow: 'microphone' },
    'no profile': { mimeType: 'text/html', ui: {}, isRefused: true },
    'another profile': { mimeType: 'text/html;profile=mcp-app2', ui: {}, isRefused: true },
    'an http URI': { uri: `${here}/page`, ui: {}, isRefused: true },
    'a data URI': { uri: 'data:text/html,hello', ui: {}, isRefused: true },
  };
}

/** What may be reached. Objects and `eval` stay blocked, because nobody can declare them. */
export const declared = (port) => ({ ui: domains(`http://127.0.0.1:${port}`, `ws://127.0.0.1:${port}`) });

/** A page that tries to reach the listener, and sends a notification with the outcome of each attempt. */
export const attack = (port) => `<!doctype html><body><script>
const port = ${port};
(${tryEverything})();
</script>`;

function tryEverything() {
  const waiting = new Map();
  addEventListener('securitypolicyviolation', ({ blockedURI }) => waiting.get(blockedURI)?.('blocked'));

  /** An element that loads the URL, or fails to. */
  const element = (name, attribute, extra = {}) => (url, done) => {
    const added = Object.assign(document.createElement(name), extra, { [attribute]: url });
    added.onload = () => done('reached');
    added.onerror = () => done('blocked');
    document.body.append(added);
  };
  // A blocked frame is loaded, too, with an error page. A document of the listener sends its path.
  const inFrame = (done) => () => setTimeout(done, 100, 'blocked');
  addEventListener('message', ({ data }) => waiting.get(`http://127.0.0.1:${port}${data}`)?.('reached'));

  const promised = (run) => (url, done) => run(url).then(() => done('reached'), () => done('blocked'));

  const attempts = {
    fetch: promised((url) => fetch(url, { mode: 'no-cors' })),
    import: promised((url) => import(url)),
    font: promised((url) => new FontFace('f', `url(${url})`).load()),
    image: element('img', 'src'),
    script: element('script', 'src'),
    style: element('link', 'href', { rel: 'stylesheet' }),
    prefetch: element('link', 'href', { rel: 'prefetch', as: 'image' }),
    frame: (url, done) => element('iframe', 'src')(url, inFrame(done)),
    object: element('object', 'data', { type: 'text/html' }),
    video: (url, done) => {
      Object.assign(document.createElement('video'), {
        src: url, preload: 'auto', onerror: () => done(waiting.has(url) ? 'failed' : 'blocked'),
      }).load();
    },
    socket: (url, done) => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      socket.onerror = () => setTimeout(done, 100, 'reached');
      waiting.set(socket.url, done);
    },
    beacon: (url, done) => {
      navigator.sendBeacon(url);
      setTimeout(done, 100, 'reached');
    },
    form: (url, done) => {
      const frame = Object.assign(document.createElement('iframe'), { name: 'form' });
      const form = Object.assign(document.createElement('form'), { action: url, target: 'form', method: 'post' });
      document.body.append(frame, form);
      frame.onload = inFrame(done);
      form.submit();
    },
    base: (url, done) => {
      document.head.append(Object.assign(document.createElement('base'), { href: url }));
      done(document.baseURI === url ? 'reached' : 'blocked');
    },
    eval: (_url, done) => done(eval('"reached"')),
    storage: (_url, done) => done(localStorage ? 'reached' : 'blocked'),
    parent: (_url, done) => done(parent.document ? 'reached' : 'blocked'),
    top: (url, done) => {
      top.location.href = url;
      done('reached');
    },
    window: (url, done) => done(open(url) ? 'reached' : 'blocked'),
  };

  const outcomes = Object.entries(attempts).map(([name, attempt]) => {
    const url = `http://127.0.0.1:${port}/${name}`;
    const outcome = new Promise((done) => {
      waiting.set(url, done);
      setTimeout(done, 20_000, 'nothing happened');
      try {
        attempt(url, done);
      } catch {
        done('blocked');
      }
    });
    return outcome.then((it) => [name, it]);
  });
  Promise.all(outcomes).then((all) => {
    const params = { level: 'info', data: Object.fromEntries(all) };
    parent.postMessage({ jsonrpc: '2.0', method: 'notifications/message', params }, '*');
    // The last attempts replace the sandbox and the page.
    const form = Object.assign(document.createElement('form'), { action: `http://127.0.0.1:${port}/sandbox`, target: '_parent' });
    document.body.append(form);
    form.submit();
    location.href = `http://127.0.0.1:${port}/location`;
  });
}
