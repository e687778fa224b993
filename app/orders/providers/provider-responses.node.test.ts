import { expect, test } from "vitest";
import { isPublicUrl } from "#app/http/requests/public-url.ts";
import { mapStatus, parseCount, readAddResponse, readStatusEntry } from "./provider-responses.ts";

const json = (body: unknown) => ({ kind: "json", body, raw: JSON.stringify(body), httpStatus: 200 }) as const;

test("accepts an id as a number or text", () => {
  expect(readAddResponse(json({ order: 23501 }))).toEqual({ kind: "accepted", providerOrderId: "23501" });
  expect(readAddResponse(json({ order: " a-7 " }))).toEqual({ kind: "accepted", providerOrderId: "a-7" });
});

test("rejects only for an explicit error", () => {
  expect(readAddResponse(json({ error: "Not enough funds" }))).toEqual({ kind: "rejected", error: "Not enough funds" });
  for (const body of [{}, [], null, { order: "" }, { error: { text: "no" } }, { order: 7, error: "odd" }, "Bad"]) {
    expect(readAddResponse(json(body)).kind, JSON.stringify(body)).not.toBe("rejected");
  }
});

test("reads anything else as unknown", () => {
  const response = { kind: "no_response", why: "time-out", raw: "", httpStatus: null } as const;
  expect(readAddResponse(response)).toEqual({ kind: "unknown", why: "time-out" });
  expect(readAddResponse(json({ status: "ok" })).kind).toBe("unknown");
});

test("maps known spellings and does not guess unknown ones", () => {
  expect(["In progress", "in_progress", "Inprogress"].map(mapStatus)).toEqual(Array(3).fill("In progress"));
  expect(["Cancelled", "canceled", "CANCELED"].map(mapStatus)).toEqual(Array(3).fill("Canceled"));
  expect(mapStatus("Awaiting moon")).toBeNull();
  expect(mapStatus(7)).toBeNull();
});

test("reads only whole numbers as counts", () => {
  expect([parseCount("157"), parseCount(157), parseCount(" 0 ")]).toEqual([157, 157, 0]);
  for (const value of ["-1", "1.5", "many", "", null, 1.5, "1e3"]) expect(parseCount(value)).toBeNull();
});

test("reads no status from an error entry", () => {
  expect(readStatusEntry({ error: "Incorrect order ID" })).toBeNull();
  expect(readStatusEntry(undefined)).toBeNull();
  expect(readStatusEntry({ status: "Partial", remains: "x", start_count: "3572" })).toEqual({
    status: "Partial",
    remains: null,
    startCount: 3572,
  });
});

test("allows only public https URLs, except in local development", () => {
  for (const url of ["https://panel.example/api/v2", "https://93.184.216.34/api"]) {
    expect(isPublicUrl(url, false), url).toBe(true);
  }
  const refused = [
    "http://panel.example/api/v2",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://10.1.2.3/",
    "https://172.20.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/",
    "https://100.64.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "https://db.internal/",
    "https://user:pass@panel.example/",
    "ftp://panel.example/",
    "not a url",
  ];
  for (const url of refused) expect(isPublicUrl(url, false), url).toBe(false);
  expect(isPublicUrl("http://127.0.0.1:4000/api/v2", true)).toBe(true);
});
