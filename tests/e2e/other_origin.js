// What a page of another origin may try; each part says how it ended.
async ({ studio, workflow }) => {
  const tries = {};
  const note = async (name, doing) => {
    try { tries[name] = String(await doing()); } catch (error) { tries[name] = "refused"; }
  };
  const body = JSON.stringify({ document: workflow });
  for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
    for (const mode of ["cors", "no-cors"]) {
      await note(`put ${type} ${mode}`, async () => (await fetch(`${studio}/api/v1/workflows/evil`,
        { method: "PUT", body, mode, credentials: "include", headers: { "Content-Type": type } })).status);
      await note(`run ${type} ${mode}`, async () => (await fetch(`${studio}/api/v1/runs`,
        { method: "POST", body, mode, credentials: "include", headers: { "Content-Type": type } })).status);
      await note(`mcp ${type} ${mode}`, async () => (await fetch(`${studio}/mcp`,
        { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', mode,
          credentials: "include", headers: { "Content-Type": type } })).status);
    }
  }
  await note("read", async () => (await fetch(`${studio}/api/v1/workflows`)).status);
  await note("sample", async () => (await fetch(`${studio}/api/v1/samples`, { method: "POST", mode: "no-cors" })).status);
  await note("socket", () => new Promise((done, failed) => {
    const socket = new WebSocket(studio.replace("http", "ws") + "/mcp");
    socket.onopen = () => done("open"); socket.onerror = () => failed(new Error());
  }));
  await note("stream", () => new Promise((done, failed) => {
    const source = new EventSource(`${studio}/api/v1/runs/x/events`);
    source.onopen = () => { source.close(); done("open"); };
    source.onerror = () => { source.close(); failed(new Error()); };
  }));
  await note("frame", () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.src = studio + "/";
    frame.onload = () => { let seen = "framed";
      try { seen = frame.contentDocument === null ? "hidden" : "blank"; } catch { seen = "hidden"; }
      done(seen); };
    document.body.append(frame);
  }));
  await note("form", () => new Promise((done) => {
    const frame = document.createElement("iframe"); frame.name = "sink"; frame.onload = () => done("sent");
    document.body.append(frame);
    const form = document.createElement("form");
    form.method = "POST"; form.target = "sink"; form.action = `${studio}/api/v1/samples`;
    document.body.append(form); form.submit();
  }));
  return tries;
}
