"""Serves a page that lists the tools of a server, and shows what the browser lets the page read.

Usage: pages.py PORT SERVER. GET returns the page. POST is forwarded to the server at SERVER unchanged, which
imitates a page whose name was rebound to this machine.
"""

import http.client
import http.server
import sys

PORT, SERVER = int(sys.argv[1]), int(sys.argv[2])

PAGE = b"""<!DOCTYPE html><body><script>
const asked = decodeURIComponent(location.search.slice(1));
const simple = asked.startsWith('simple:');
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const message = {jsonrpc: '2.0', id: 1, method: 'tools/list', params: {_meta: meta}};
const request = new XMLHttpRequest();
let text;
try {
  request.open('POST', asked.replace('simple:', ''), false);
  if (simple) {
    request.setRequestHeader('content-type', 'text/plain');
  } else {
    request.setRequestHeader('content-type', 'application/json');
    request.setRequestHeader('mcp-protocol-version', '2026-07-28');
    request.setRequestHeader('mcp-method', 'tools/list');
  }
  request.send(JSON.stringify(message));
  text = request.status + ' ' + request.responseText;
} catch (error) {
  text = error.name === 'NetworkError' ? 'blocked' : String(error);
}
const paragraph = document.createElement('p');
paragraph.textContent = text;
document.body.append(paragraph);
</script></body>"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, "text/html", PAGE)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        server = http.client.HTTPConnection("127.0.0.1", SERVER)
        server.putrequest("POST", self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            server.putheader(name, value)
        server.endheaders(body)
        answer = server.getresponse()
        self.answer(answer.status, answer.headers["content-type"], answer.read())

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Pages).serve_forever()
