// Shows the page of a tool in the sandbox, and speaks MCP Apps with the page.

const SIZE = { width: 560, height: 240 };
/** How long a page may take to end, in milliseconds. */
const TEARDOWN = 2000;

export class View {
  #page;
  #tool;
  #ask;
  #frame = document.createElement('iframe');
  #listening = new AbortController();
  #isShown = false;
  #isInitialized = false;
  #queue = [];
  #ended;

  /** `ask(path, params)` sends a request to the program, and returns `{ result }` or `{ error }`. */
  constructor(page, tool, ask, container) {
    this.#page = page;
    this.#tool = tool;
    this.#ask = ask;
    const { signal } = this.#listening;
    addEventListener('message', (event) => this.#receive(event), { signal });
    Object.assign(this.#frame, SIZE, { src: page.sandbox, allow: page.allow });
    // The sandbox has another origin, so `allow-same-origin` does not give it access to the host.
    this.#frame.sandbox = 'allow-scripts allow-forms allow-same-origin';
    this.#frame.classList.toggle('border', page.border !== false);
    container.append(this.#frame);
  }

  /** Sends a notification as soon as the page is initialized. */
  notify(method, params) {
    if (this.#isInitialized) this.#send({ method, params });
    else this.#queue.push({ method, params });
  }

  /** Tells the page that it ends, waits for its answer, and removes the page. */
  async close(reason) {
    if (this.#isInitialized) {
      const answered = new Promise((resolve) => (this.#ended = resolve));
      this.#send({ id: 'teardown', method: 'ui/resource-teardown', params: { reason } });
      await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, TEARDOWN))]);
    }
    this.#listening.abort();
    this.#frame.remove();
  }

  #send(message) {
    this.#frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, new URL(this.#page.sandbox).origin);
  }

  /** Malformed messages, and messages of other windows, are ignored. */
  #receive({ source, origin, data }) {
    if (source !== this.#frame.contentWindow || origin !== new URL(this.#page.sandbox).origin) return;
    if (data?.jsonrpc !== '2.0') return;
    const { id, method, params } = data;
    if (method === undefined) {
      if (id === 'teardown') this.#ended?.();
    } else if (typeof method !== 'string' || !['undefined', 'object'].includes(typeof params)) {
      return;
    } else if (id === undefined) {
      this.#notified(method);
    } else if (['string', 'number'].includes(typeof id)) {
      this.#answer(id, method, params ?? {});
    }
  }

  #notified(method) {
    if (method === 'ui/notifications/sandbox-proxy-ready' && !this.#isShown) {
      this.#isShown = true;
      const { html, allow } = this.#page;
      this.#send({ method: 'ui/notifications/sandbox-resource-ready', params: { html, allow } });
    } else if (method === 'ui/notifications/initialized' && !this.#isInitialized) {
      this.#isInitialized = true;
      for (const message of this.#queue) this.#send(message);
    }
  }

  async #answer(id, method, params) {
    this.#send({ id, ...(await this.#outcome(method, params)) });
  }

  #outcome(method, params) {
    switch (method) {
      case 'ui/initialize':
        return { result: this.#initialize() };
      case 'ping':
        return { result: {} };
      case 'tools/call':
      case 'resources/read':
        return this.#ask(`pages/${this.#page.id}/${method}`, params);
      default:
        return { error: { code: -32601, message: `this host has no ${method}` } };
    }
  }

  #initialize() {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    return {
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'mcp-example-app-host', version: '1.0.0' },
      hostCapabilities: { serverTools: {}, serverResources: {} },
      hostContext: {
        toolInfo: { tool: this.#tool },
        theme: isDark ? 'dark' : 'light',
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: SIZE,
      },
    };
  }
}
