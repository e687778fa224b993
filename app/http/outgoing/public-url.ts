// URLs of providers and webhook endpoints, which strangers enter and our servers call.

/** Returns whether the URL is https with a public host. `local` also allows hosts on the developer's machine. */
export function isPublicUrl(text: string, local: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (local && (url.protocol === "http:" || url.protocol === "https:")) return true;
  if (url.protocol !== "https:" || url.username || url.password) return false;
  // A name may end with the dot of the root: "localhost." is "localhost".
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return false;
  const isAddress = /^\d+(\.\d+){3}$/.test(host);
  if (isAddress) return !PRIVATE_IPV4.some((range) => range.test(host));
  return host.includes(".") && !/\.(local|internal|localhost|home\.arpa)$/.test(host);
}

/** Private, local, shared, benchmark, documentation, multicast and reserved ranges. */
const PRIVATE_IPV4 = [
  /^0\./,
  /^10\./,
  /^127\./,
  /^169\.254\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^192\.0\.[02]\./,
  /^198\.1[89]\./,
  /^198\.51\.100\./,
  /^203\.0\.113\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^(22[4-9]|2[3-5]\d)\./,
];
