import { expect, test } from "vitest";
import { isPublicUrl } from "./public-url.ts";

test("accepts https with a public name or address", () => {
  for (const host of ["panel.example.com", "panel.example.com.", "8.8.8.8", "198.17.0.1", "198.20.0.1", "172.32.0.1"]) {
    expect(isPublicUrl(`https://${host}/api/v2`, false), host).toBe(true);
  }
});

test("refuses hosts of a private, local or special network, however they are written", () => {
  const hosts = ["localhost", "localhost.", "a.localhost", "metadata.google.internal.", "printer.local", "one-word"];
  const addresses = ["127.0.0.1", "127.0.0.1.", "2130706433", "0x7f.1", "0177.0.0.1", "10.1.2.3", "192.168.1.1"];
  const special = ["169.254.169.254", "100.64.0.1", "198.18.0.1", "198.19.255.255", "192.0.0.8", "192.0.2.1"];
  const more = ["198.51.100.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "0.0.0.0", "[::1]", "[fd00::1]"];
  for (const host of [...hosts, ...addresses, ...special, ...more]) {
    expect(isPublicUrl(`https://${host}/`, false), host).toBe(false);
  }
  for (const url of [
    "http://panel.example.com",
    "https://user:pass@panel.example.com",
    "ftp://a.example",
    "nonsense",
  ]) {
    expect(isPublicUrl(url, false), url).toBe(false);
  }
});
