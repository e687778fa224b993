import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { vi } from "vitest";

const root = join(import.meta.dirname, "..", "..");

class Exit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

export type CommandResult = { status: number | null; stdout: string; stderr: string };

let runs = 0;

/**
 * Runs a command's file in this process, with its arguments: loading what the commands share takes seconds of a process.
 * An error that the command doesn't catch is thrown.
 */
export async function runCommand(file: string, args: string[]): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  const print = (to: keyof typeof output) => (text: unknown) => {
    output[to] += `${text}\n`;
  };
  const spies = [
    vi.spyOn(console, "log").mockImplementation(print("stdout")),
    vi.spyOn(console, "error").mockImplementation(print("stderr")),
    vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Exit(Number(code));
    }),
  ];
  const { argv, exitCode } = process;
  const before = process.listeners("uncaughtException");
  process.argv = [process.execPath, join(root, file), ...args];
  process.exitCode = undefined;
  try {
    // The number makes it another module, which runs again.
    await import(/* @vite-ignore */ `${join(root, file)}?run=${++runs}`);
    return { status: Number(process.exitCode ?? 0), ...output };
  } catch (error) {
    if (error instanceof Exit) return { status: error.status, ...output };
    throw error;
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.argv = argv;
    process.exitCode = exitCode;
    for (const listener of process.listeners("uncaughtException")) {
      if (!before.includes(listener)) process.off("uncaughtException", listener);
    }
  }
}

/** Runs a command as npm does, in two processes of its own. */
export function spawnCommand(file: string, args: string[]): CommandResult {
  const command = ["tools/bootstrap.mjs", file, ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
}
