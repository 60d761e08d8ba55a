// Lists the tools for the model, calls a tool, and shows the text and the page of the tool.
import { View } from './view.js';

const element = (id) => document.getElementById(id);
const tools = new Map();
let view;
let running;

/** Sends a request to the program. Returns `{ result }` or `{ error }`. */
async function ask(path, body, signal = undefined) {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
    if (response.status === 422) return { error: { code: -32602, message: await response.text() } };
    if (!response.ok) throw new Error(`the host answers with HTTP ${response.status}`);
    return await response.json();
  } catch (error) {
    return { error: { code: -32603, message: error.message } };
  }
}

function write(text, failed = false) {
  element('text').textContent = text;
  element('text').classList.toggle('failed', failed);
}

/** Removes the page that is shown. */
async function close(reason) {
  const closing = view;
  view = undefined;
  element('close').disabled = true;
  await closing?.close(reason);
}

/** Shows the page of a tool, if it has a page. Returns the problems. */
async function show(tool) {
  const { result: page, error } = await ask('pages', { name: tool.name });
  if (!page) return error ? [`No page: ${error.message}`] : [];
  view = new View(page, tool, ask, element('page'));
  element('close').disabled = false;
  return [];
}

async function call(tool, args) {
  const controller = new AbortController();
  running = controller;
  element('call').disabled = true;
  element('cancel').disabled = false;
  await close('another tool is called');
  write('');
  const problems = await show(tool);
  view?.notify('ui/notifications/tool-input', { arguments: args });
  // The program cancels the call at the server when this request is aborted.
  const { result, error } = await ask('call', { name: tool.name, arguments: args }, controller.signal);
  if (result) {
    const texts = result.content.map((it) => it.text ?? `(${it.type})`);
    write([...problems, ...texts].join('\n'), result.isError);
    view?.notify('ui/notifications/tool-result', result);
  } else {
    const reason = controller.signal.aborted ? 'cancelled by the user' : error.message;
    write(reason, true);
    view?.notify('ui/notifications/tool-cancelled', { reason });
  }
  element('cancel').disabled = true;
  element('call').disabled = false;
}

element('form').onsubmit = (event) => {
  event.preventDefault();
  try {
    const args = JSON.parse(element('arguments').value || '{}');
    if (typeof args !== 'object' || Array.isArray(args) || !args) throw new Error('they must be a JSON object');
    call(tools.get(element('tool').value), args);
  } catch (error) {
    write(`The arguments are wrong: ${error.message}`, true);
  }
};
element('cancel').onclick = () => running.abort();
element('close').onclick = () => close('closed by the user');
element('tool').onchange = () => {
  element('description').textContent = tools.get(element('tool').value)?.description ?? '';
};

const { result, error } = await ask('tools', {});
if (error) write(error.message, true);
for (const tool of result?.tools ?? []) {
  tools.set(tool.name, tool);
  element('tool').append(new Option(tool.title ?? tool.name, tool.name));
}
element('server').textContent = result?.server ?? 'No server';
element('call').disabled = tools.size === 0;
element('tool').onchange();
