// A host of MCP Apps: the official bridge and client, and the sandbox that the specification describes.
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const EXTENSION = "io.modelcontextprotocol/ui";
const MIME_TYPE = "text/html;profile=mcp-app";
const CSP =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

async function connect({ key, mode, hasApps = true }) {
  const extensions = hasApps ? { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } : {};
  const client = new Client(
    { name: "test-host", version: "1" },
    { capabilities: { extensions }, versionNegotiation: { mode } },
  );
  const requestInit = { headers: { "X-API-Key": key } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href), { requestInit }));
  return client;
}

// What tests look at: everything that the app told the host.
const seen = { heights: [], contexts: [], tools: [], calls: [] };

async function open({ key, mode, tool, args, result, context }) {
  const client = await connect({ key, mode });
  const { tools } = await client.listTools();
  const found = tools.find(({ name }) => name === tool);
  const uri = getToolUiResourceUri(found);
  const { contents } = await client.readResource({ uri });
  const [page] = contents;
  if (page.mimeType !== MIME_TYPE) throw new Error(`not an app: ${page.mimeType}`);
  document.querySelector("iframe")?.remove();
  Object.assign(seen, { heights: [], contexts: [], tools: tools.map(({ name }) => name), size: page.text.length });
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "app";
  frame.style.cssText = "width: 100%; border: 1px solid #c3cad6; border-radius: 12px; box-sizing: border-box";
  document.body.append(frame);
  const hostContext = { theme: "light", ...context };
  const capabilities = { serverTools: {}, updateModelContext: { text: {} } };
  const bridge = new AppBridge(client, { name: "test-host", version: "1" }, capabilities, { hostContext });
  bridge.onsizechange = ({ height }) => {
    seen.heights.push(height);
    frame.style.height = `${height}px`;
  };
  bridge.onupdatemodelcontext = async ({ content }) => {
    seen.contexts.push(content[0].text);
    return {};
  };
  const isReady = new Promise((done) => (bridge.oninitialized = done));
  const inner = frame.contentWindow;
  await bridge.connect(new PostMessageTransport(inner, inner));
  frame.srcdoc = page.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${CSP}">`);
  await isReady;
  window.bridge = bridge;
  if (args === undefined) return;
  await bridge.sendToolInput({ arguments: args });
  if (result) await bridge.sendToolResult(result);
  else {
    seen.answer = null;
    void client.callTool({ name: tool, arguments: args }).then(async (answer) => {
      await bridge.sendToolResult(answer);
      seen.answer = answer;
    });
  }
}

// A client without apps: what it lists, and what a call returns.
async function textOnly({ key, mode, tool, args }) {
  const client = await connect({ key, mode, hasApps: false });
  const { tools } = await client.listTools();
  return { tools: tools.map(({ name }) => name), answer: await client.callTool({ name: tool, arguments: args }) };
}

window.host = { open, textOnly, seen, theme: (hostContext) => window.bridge.setHostContext(hostContext) };
