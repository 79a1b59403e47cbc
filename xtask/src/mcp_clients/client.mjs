// Calls every tool of `charrette mcp` with the official TypeScript client over stdio. Arguments: the program, the repository,
// the revision of the protocol, the name of the run. The client of the first version speaks the revisions with sessions, that of
// the second the one without. Prints one JSON object with what was seen; ends with an error if a call does not go as expected.
import assert from "node:assert/strict";
import { Client as SessionClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as SessionTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";

const [program, repository, revision, feature] = process.argv.slice(2);
const isModern = revision >= "2026";
const server = { command: program, args: ["-C", repository, "mcp"], env: { ...process.env }, stderr: "inherit" };
const information = { name: "sdk-client", version: "1.0.0" };
const capabilities = { elicitation: { form: {} } };
let forms = 0;
async function fill(request) {
  forms += 1;
  const properties = request.params.requestedSchema.properties;
  const content = {};
  for (const key of request.params.requestedSchema.required ?? []) content[key] = properties[key].enum?.[0] ?? "as you like";
  if (properties.approval) content.approval = "yes";
  return { action: "accept", content };
}
let client;
if (isModern) {
  client = new ModernClient(information, { capabilities, versionNegotiation: { mode: { pin: revision } } });
  client.setRequestHandler("elicitation/create", fill);
  await client.connect(new ModernTransport(server));
} else {
  client = new SessionClient(information, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, fill);
  await client.connect(new SessionTransport(server));
}

const called = new Set();
async function call(name, args) {
  called.add(name);
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent;
}

const { tools } = await client.listTools();
assert.ok(tools.length > 0 && tools.every((tool) => tool.annotations && tool.outputSchema));
const request = `add a greeting for new users, told to ${feature}`;
let { run } = await call("start", { command: "design", request, feature, options: { auto: true } });
const id = run.run;
await call("stop", { feature });
({ run } = await call("resume", { feature }));
for (let turns = 0; run.state !== "complete"; turns += 1) {
  assert.ok(turns < 60, `the run does not end: ${JSON.stringify(run)}`);
  if (run.state === "waiting") {
    const gate = run.gates[0];
    ({ run } = await call("answer", { feature, gate: gate.gate, shown: gate.shown }));
  } else if (run.state === "ready") {
    ({ run } = await call("resume", { feature }));
  } else {
    assert.equal(run.state, "working", JSON.stringify(run));
    ({ run } = await call("wait", { feature, seconds: 20, since: run.mark }));
  }
}
assert.equal(run.run, id);
const { files } = await call("read", { feature });
const { page } = await call("read", { feature, file: "specs/requirements.md" });
assert.ok(files.length > 0 && page.text.length > 0);
await call("check", { feature });
await call("survey", { request: "greeting" });
const { prompts } = await client.listPrompts();
const { resources } = await client.listResources();
await client.readResource({ uri: resources[0].uri });
await client.getPrompt({ name: prompts[0].name, arguments: { request: "x" } });
assert.deepEqual([...called].sort(), tools.map((tool) => tool.name).sort(), "every tool was called");
console.log(JSON.stringify({ tools: tools.length, forms, files: run.files, resources: resources.length }));
await client.close();
