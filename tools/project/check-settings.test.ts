import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { loginErrorsFault, originFault } from "./check-settings.ts";

test("accepts an https origin, with or without a slash at its end", () => {
  expect(originFault("https://panel.test")).toBeNull();
  expect(originFault("https://panel.test:8443/")).toBeNull();
});

test("refuses a missing origin, and one that is not an https origin", () => {
  for (const value of [undefined, "", 7]) expect(originFault(value)).toContain("Set PUBLIC_ORIGIN");
  for (const value of ["panel.test", "http://panel.test", "https://panel.test/app", "https://me@panel.test"]) {
    expect(originFault(value), value).toContain("must be an https origin");
  }
});

test("refuses the sample's placeholder, except to bundle an unconfigured checkout", () => {
  const { vars } = unstable_readConfig({ config: join(import.meta.dirname, "..", "..", "wrangler.toml") });
  expect(originFault(vars.PUBLIC_ORIGIN)).toContain("placeholder");
  expect(originFault(vars.PUBLIC_ORIGIN, { allowSample: true })).toBeNull();
});

test("accepts both choices of LOGIN_ERRORS", () => {
  for (const value of ["spec", "uniform"]) expect(loginErrorsFault(value)).toBeNull();
});

test("refuses a deployment that has not chosen LOGIN_ERRORS, and says what each choice means", () => {
  const { vars } = unstable_readConfig({ config: join(import.meta.dirname, "..", "..", "wrangler.toml") });
  for (const value of [vars.LOGIN_ERRORS, undefined, "", "Uniform", 1]) {
    expect(loginErrorsFault(value)).toMatch(/^Set LOGIN_ERRORS .*\n"spec" shows .*\n"uniform" shows /);
  }
  expect(loginErrorsFault("strict")).toContain('"strict" is neither.');
  expect(loginErrorsFault(vars.LOGIN_ERRORS, { allowSample: true })).toBeNull();
});
