import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startLocalCopy } from "./local-copy.ts";
import { api, completeOrder, placeOrder } from "./panel-orders.ts";

test.skipIf(!existsSync("/dev/full"))(
  "goes on serving and delivering on a full disk",
  async () => {
    const copy = await startLocalCopy();
    const full = ["logs/worker.log", "sandbox-orders.jsonl"].map((name) => join(copy.stateDir, name));
    for (const file of full) {
      if (existsSync(file)) renameSync(file, `${file}.kept`);
      symlinkSync("/dev/full", file);
    }
    const waiting = String(await placeOrder(copy));
    expect((await fetch(copy.url)).status).toBe(200);
    expect(await api(copy, { action: "status", order: waiting })).toMatchObject({ status: "Pending" });
    for (const file of full) {
      rmSync(file);
      if (existsSync(`${file}.kept`)) renameSync(`${file}.kept`, file);
    }
    expect(await completeOrder(copy)).toBe("Completed");
    expect(readFileSync(full[0] ?? "", "utf8")).toMatch(/"message":"log lines lost","lines":\d+/);
    await copy.remove();
  },
  420_000,
);
