// Uses the example host in a browser.
import assert from 'node:assert/strict';
import { pause } from '../auth/harness.mjs';

/** Waits until a function returns a true value. */
export async function until(what, holds, milliseconds = 60_000) {
  const end = Date.now() + milliseconds;
  for (;;) {
    // A frame that goes away does not answer.
    const value = await Promise.race([holds(), pause(2000)]);
    if (value) return value;
    if (Date.now() > end) throw new Error(`it did not happen: ${what}`);
    await pause(25);
  }
}

/** Opens the page of a host, which is a started program, in a new tab. */
export async function openHost(browser, host) {
  const url = await until('the host prints its address', () => {
    assert.equal(host.child.exitCode, null, host.stderr);
    return host.stderr.match(/^(http:\S+)\n/m)?.[1];
  });
  return new Tab(browser, host, url, await browser.open(url));
}

class Tab {
  constructor(browser, host, url, tab) {
    Object.assign(this, { browser, host, url, tab });
  }

  evaluate = (script) => this.tab.evaluate(script);
  get = (script) => this.evaluate(`JSON.stringify(${script})`).then((it) => it && JSON.parse(it));
  text = () => this.evaluate('document.getElementById("text").textContent');
  isRunning = () => this.evaluate('document.getElementById("call").disabled');
  click = (id) => this.evaluate(`document.getElementById('${id}').click()`);
  hasPage = () => this.evaluate('document.querySelector("iframe") !== null');
  kill = () => this.host.child.kill();

  /** Waits for the list of tools, and records what the host page receives. The names are returned. */
  async tools() {
    await until('the host lists the tools', async () => (await this.isRunning()) === false);
    await this.evaluate(`
      window.seen = [];
      addEventListener('message', ({ data }) => seen.push(data));
      new MutationObserver((changes) => {
        if (changes.some((it) => it.removedNodes.length > 0)) seen.push('removed');
      }).observe(document.getElementById('page'), { childList: true });`);
    return this.get('[...document.getElementById("tool").options].map((it) => it.value)');
  }

  /** Begins a call. */
  async begin(tool, args = {}) {
    await this.evaluate(`(() => {
      seen.length = 0;
      document.getElementById('tool').value = ${JSON.stringify(tool)};
      document.getElementById('arguments').value = ${JSON.stringify(JSON.stringify(args))};
      document.getElementById('call').click();
    })()`);
  }

  /** Calls a tool, and returns the text of the result. */
  async call(tool, args) {
    await this.begin(tool, args);
    await until(`${tool} is answered`, async () => !(await this.isRunning()));
    return this.text();
  }

  /** What pages have sent, as `level: "info"` messages of the log. */
  notes = async () => (await this.get('seen')).filter((it) => it?.method === 'notifications/message').map((it) => it.params.data);

  /** Attaches to the page of the tool. */
  page = () => until('the page is loaded', () => this.browser.foreignFrame(this.tab, 'about:srcdoc'));

  /** Waits until a script in the page returns a true value. The page may still be replaced. */
  inPage = (script) => until(`in the page: ${script}`, async () => (await this.page()).evaluate(script));

  /** Moves the mouse to a button of the page, and clicks. */
  async clickInPage(selector) {
    const center = (it) => `(() => {
      const { x, y, width, height } = document.querySelector('${it}').getBoundingClientRect();
      return JSON.stringify(${it === 'iframe' ? '[x + 1, y + 1]' : '[x + width / 2, y + height / 2]'});
    })()`;
    const [left, top] = JSON.parse(await this.evaluate(center('iframe')));
    const [x, y] = JSON.parse(await (await this.page()).evaluate(center(selector)));
    for (const type of ['mousePressed', 'mouseReleased']) {
      const event = { type, x: left + x, y: top + y, button: 'left', clickCount: 1 };
      await this.tab.send('Input.dispatchMouseEvent', event);
    }
  }

  /** Closes the tab and ends the program. */
  async close() {
    await this.tab.close();
    this.kill();
    await this.host.ended;
  }
}
