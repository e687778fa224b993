import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setupOrigin } from "./staff-setup-link.ts";

test("finds the origin of the local copy, and says that nothing was deployed from here", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "growline-link-"));
  try {
    expect(setupOrigin({ remote: false, stateDir })).toBeNull();
    writeFileSync(join(stateDir, "demo.json"), JSON.stringify({ url: "http://localhost:8787" }));
    expect(setupOrigin({ remote: false, stateDir })).toBe("http://localhost:8787");
    writeFileSync(join(stateDir, "demo.json"), '{"url": "htt');
    expect(() => setupOrigin({ remote: false, stateDir })).toThrow(
      /demo\.json is damaged: it is not JSON\. Delete the file:/,
    );
    expect(() => setupOrigin({ remote: true, stateDir })).toThrow(/npm run deploy -- production/);
  } finally {
    rmSync(stateDir, { recursive: true });
  }
});
