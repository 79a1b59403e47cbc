// Written by charrette init: asks charrette-hook before each tool. `charrette init --remove` deletes this file.
import { spawnSync } from "node:child_process"

export const Charrette = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const call = { tool_name: input.tool, tool_input: output.args, session_id: input.sessionID, cwd: directory }
    const hook = spawnSync("charrette-hook", ["tool.execute.before"], {
      cwd: directory,
      encoding: "utf8",
      input: JSON.stringify(call),
      timeout: 10000,
    })
    // Only exit code 2 denies: a hook that is missing or fails stops nothing.
    if (hook.status === 2) {
      throw new Error((hook.stderr || "").trim() || "charrette: denied")
    }
  },
})
