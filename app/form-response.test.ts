import { expect, test } from "vitest";
import { respondToForm } from "./form-response.server.ts";

test("leads back to the form's page, and to no host that a path names", async () => {
  const locationOf = async (url: string, to?: string) => {
    const response = await respondToForm(new Request(url), { kind: "done", message: "Saved.", ...(to && { to }) });
    return (response as Response).headers.get("Location");
  };
  expect(await locationOf("https://growline.example/admin/tiers/1?q=1")).toBe("/admin/tiers/1");
  expect(await locationOf("https://growline.example/admin/tiers/1", "/admin/tiers?q=2")).toBe("/admin/tiers?q=2");
  expect(await locationOf("https://growline.example//evil.example/x")).toBe("/");
  expect(await locationOf("https://growline.example/admin/tiers/1", "//evil.example")).toBe("/");
});
