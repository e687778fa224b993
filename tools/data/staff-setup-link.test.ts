import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { staffSetupLink } from "./staff-setup-link.ts";

test("leads to the setup of the local copy, or of the deployed site", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "growline-link-"));
  try {
    expect(staffSetupLink({ remote: false, stateDir })).toBeNull();
    writeFileSync(join(stateDir, "demo.json"), JSON.stringify({ url: "http://localhost:8787" }));
    expect(staffSetupLink({ remote: false, stateDir })).toBe("http://localhost:8787/account/two-step");
    expect(staffSetupLink({ remote: true, stateDir })).toMatch(/^https:\/\/.+\/account\/two-step$/);
  } finally {
    rmSync(stateDir, { recursive: true });
  }
});
