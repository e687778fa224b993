import { type RawRequest, requestBytes } from "../client/raw-client.ts";

/** Returns a shell command that sends this request: with curl, or byte by byte where curl would change it. */
export function curlOf(request: RawRequest, origin: string): string {
  const { method, target, headers, body, framing } = request;
  const { host } = new URL(origin);
  const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);
  const sendsAsIs =
    framing !== "short" && target.startsWith("/") && !target.includes(" ") && !target.includes("#") && isPlain(target);
  if (!sendsAsIs || !headers.every(([name, value]) => isPlain(name + value))) {
    const [name = "", port = "80"] = host.split(":");
    return `printf %s ${quote(requestBytes(request).toString("base64"))} | base64 -d | nc -N ${name} ${port}`;
  }
  const parts = ["curl", "-i", "--path-as-is", "-g", "-X", quote(method)];
  // An empty value needs a semicolon.
  for (const [name, value] of headers) parts.push("-H", quote(value === "" ? `${name};` : `${name}: ${value}`));
  if (framing === "chunked") parts.push("-H", quote("Transfer-Encoding: chunked"));
  const text = body.toString("utf8");
  const isText = framing !== "none" && Buffer.from(text).equals(body) && !text.includes("\0") && !text.startsWith("@");
  if (isText) parts.push("--data-binary", quote(text));
  else if (framing !== "none") parts.push("--data-binary", "@-");
  parts.push(quote(origin + target));
  const command = parts.join(" ");
  return isText || framing === "none"
    ? command
    : `printf %s ${quote(body.toString("base64"))} | base64 -d | ${command}`;
}

function quote(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
