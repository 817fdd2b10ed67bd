/**
 * Makes docs/pictures/chat.svg from a real chat: the built program in tmux, answered by a scripted server that speaks Ollama's protocol. The
 * chat runs a command in the sandbox, is killed in the middle of an answer, and continues. Run by hand, after the build, with tmux and
 * bubblewrap installed:
 *
 *   npm run build && node docs/pictures/make-chat-picture.mjs
 */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ansiToSvg } from "./ansi-to-svg.mjs";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../../packages/longhand/dist/main.js", import.meta.url));
const PICTURE = fileURLToPath(new URL("chat.svg", import.meta.url));
const COLUMNS = 92;
const ROWS = 60;
const MODEL = "gemma4:e4b";
const SHOWN_HOME = "/home/ada";

const FIRST = "Which log has the most errors? Write a note for the team.";
const SECOND = "Say that it is fixed since Tuesday.";

/** What the model says, by what it was told last. `undefined`: it stalls, and does not go on. */
function answerTo(messages) {
  const last = messages.at(-1) ?? {};
  if (last.role === "tool")
    return [{ content: "### Errors in web.log\n\n" }, { content: "- 12 errors, while `api" }, undefined];
  if (String(last.content).includes(SECOND))
    return [
      { content: "### Errors in web.log\n\n" },
      { content: "- 12 errors, while `api.log` has **3**\n- fixed since Tuesday\n" },
    ];
  const command = "grep -c ERROR logs/*.log";
  return [{ content: "", tool_calls: [{ function: { name: "exec", arguments: { command } } }] }];
}

async function startModel() {
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function answer(request, response) {
  let text = "";
  for await (const chunk of request) text += chunk;
  if (request.url === "/api/tags") return response.end(JSON.stringify({ models: [{ name: MODEL }] }));
  if (request.url === "/api/show")
    return response.end(JSON.stringify({ capabilities: ["completion", "tools"] }));
  for (const message of answerTo(JSON.parse(text).messages)) {
    if (message === undefined) return undefined;
    response.write(
      `${JSON.stringify({ model: MODEL, message: { role: "assistant", ...message }, done: false })}\n`,
    );
    await pause(100);
  }
  const counts = { prompt_eval_count: 1850, eval_count: 40 };
  const end = { model: MODEL, message: { role: "assistant", content: "" }, done: true, done_reason: "stop" };
  return response.end(`${JSON.stringify({ ...end, ...counts })}\n`);
}

/** A directory to work in, and `longhand` as a command. */
async function prepare(home, url) {
  const project = join(home, "shop");
  const lines = (errors) => "12:00 INFO started\n" + "12:01 ERROR no connection\n".repeat(errors);
  await mkdir(join(project, "logs"), { recursive: true });
  await mkdir(join(home, "bin"));
  await mkdir(join(home, ".longhand"), { mode: 0o700 });
  await writeFile(join(project, "logs", "web.log"), lines(12));
  await writeFile(join(project, "logs", "api.log"), lines(3));
  await writeFile(join(home, ".longhand", "longhand.json"), '{ "memory": { "enabled": false } }\n');
  await writeFile(join(home, "bin", "longhand"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  await chmod(join(home, "bin", "longhand"), 0o755);
  const variables = {
    HOME: home,
    PATH: `${join(home, "bin")}:${process.env.PATH}`,
    OLLAMA_HOST: url,
    PS1: "\\[\\e[32m\\]~/shop\\[\\e[0m\\] $ ",
    LC_ALL: "C.UTF-8",
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(join(home, "rc"), `${exports.join("")}cd '${project}'\n`);
}

async function film(home) {
  const name = `picture-${process.pid}`;
  const tmux = async (...words) =>
    (
      await run("tmux", ["-u", "-L", name, "-f", "/dev/null", ...words], {
        env: { ...process.env, TERM: "xterm-256color" },
      })
    ).stdout;
  const screen = async (...more) => await tmux("capture-pane", "-p", "-S", "-", ...more);
  const sees = async (...wanted) => {
    for (let tries = 0; tries < 400; tries++) {
      const seen = await screen();
      if (wanted.every((each) => seen.includes(each))) return;
      await pause(100);
    }
    throw new Error(`not seen: ${wanted.join(", ")}\n${await screen()}`);
  };
  const enters = async (text) => {
    await tmux("send-keys", "-l", "--", text);
    await tmux("send-keys", "Enter");
  };
  const shell = `bash --noprofile --rcfile '${join(home, "rc")}' -i`;
  await tmux("new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), shell);
  try {
    await sees("$");
    await enters("longhand --workspace .");
    await sees("❯", "tokens");
    await enters(FIRST);
    await sees("12 errors", "working");
    await enters(SECOND);
    await sees("waiting:");
    // What is shown of an answer is durable at most a second later.
    await pause(2500);
    await kill(Number(await tmux("display-message", "-p", "#{pane_pid}")));
    await sees("Killed");
    await enters("longhand --workspace . --continue");
    await sees("These words were waiting", "Enter sends them");
    await tmux("send-keys", "Enter");
    await sees("• fixed since Tuesday");
    await pause(1500);
    return await screen("-e");
  } finally {
    await tmux("kill-server");
  }
}

/** The one process that the shell has started. */
async function kill(shell) {
  const children = await readFile(`/proc/${shell}/task/${shell}/children`, "utf8");
  process.kill(Number(children.trim().split(" ")[0]), "SIGKILL");
}

const home = await mkdtemp(join(tmpdir(), "ada-"));
const server = await startModel();
try {
  await prepare(home, `http://127.0.0.1:${server.address().port}`);
  const screen = (await film(home)).replaceAll(home, SHOWN_HOME);
  await writeFile(PICTURE, ansiToSvg(screen, { title: "longhand: killed, and continued", columns: COLUMNS }));
  process.stdout.write(`wrote ${PICTURE}\n`);
} finally {
  server.closeAllConnections();
  server.close();
  await rm(home, { recursive: true, force: true });
}
