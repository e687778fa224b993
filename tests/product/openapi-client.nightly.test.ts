import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { openApiDocument } from "#app/orders/api/docs/openapi.server.ts";

/** Installed when it runs: with what it needs, it would be a twentieth of the files that everybody installs. */
const PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"];
const folder = join(import.meta.dirname, "..", "..", "test-results", "openapi-client");

const GOOD = `
  import createClient from "openapi-fetch";
  import type { paths } from "./api.d.ts";
  const client = createClient<paths>({ baseUrl: "https://growline.example" });
  const { data, error } = await client.POST("/api/v1/create_order", { body: { service: 1, link: "https://x.example/1", quantity: 100 } });
  const charge: string | undefined = data?.charge;
  const code: string | undefined = error?.code;
  const balance = await client.GET("/api/balance");
  const text: string | undefined = balance.data?.balance;
  export { charge, code, text };
`;

test("generates a typed client that compiles and rejects a wrong call", async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...PACKAGES], { cwd: folder });
  writeFileSync(join(folder, "api.json"), JSON.stringify(openApiDocument("https://growline.example")));
  execFileSync("npm", ["exec", "--", "openapi-typescript", "api.json", "--output", "api.d.ts"], { cwd: folder });
  expect(faultsOf("good.ts", GOOD)).toEqual([]);
  expect(faultsOf("wrong.ts", GOOD.replace("service: 1,", "")).join()).toContain("service");
  expect(faultsOf("wrong.ts", GOOD.replace('"/api/balance"', '"/api/wallet"'))).not.toEqual([]);
  rmSync(folder, { recursive: true });
});

function faultsOf(name: string, source: string): string[] {
  const file = join(folder, name);
  writeFileSync(file, source);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
