export const LANGUAGES = ["curl", "javascript", "python", "php"] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = {
  curl: "curl",
  javascript: "JavaScript",
  python: "Python",
  php: "PHP",
};

export type SampleRequest = {
  method: "GET" | "POST";
  /** Full URL without the query. */
  url: string;
  key: string;
  form: boolean;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: Record<string, unknown> | null;
};

export function sample(language: Language, request: SampleRequest): string {
  switch (language) {
    case "curl":
      return curl(request);
    case "javascript":
      return javascript(request);
    case "python":
      return python(request);
    case "php":
      return php(request);
    default:
      return language satisfies never;
  }
}

function curl({ method, url, key, form, query, headers, body }: SampleRequest): string {
  const lines = [`curl ${quoted(address(url, query))}`, `-H ${quoted(`Authorization: Bearer ${key}`)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body && form) {
    for (const [name, value] of Object.entries(body)) lines.push(`--data-urlencode ${quoted(`${name}=${value}`)}`);
  } else if (body) {
    lines.push(`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`);
  } else if (method === "POST") {
    lines.splice(1, 0, "-X POST");
  }
  return lines.join(" \\\n  ");
}

function javascript({ method, url, key, form, query, headers, body }: SampleRequest): string {
  const sent = {
    Authorization: `Bearer ${key}`,
    ...headers,
    ...(body && !form && { "Content-Type": "application/json" }),
  };
  return [
    `const response = await fetch(${JSON.stringify(address(url, query))}, {`,
    `  method: "${method}",`,
    `  headers: ${indented(JSON.stringify(sent, null, 2), 2)},`,
    ...(body
      ? [
          form
            ? `  body: new URLSearchParams(${indented(JSON.stringify(texts(body), null, 2), 2)}),`
            : `  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),`,
        ]
      : []),
    "});",
    "const result = await response.json();",
  ].join("\n");
}

function python({ method, url, key, form, query, headers, body }: SampleRequest): string {
  const sent = { Authorization: `Bearer ${key}`, ...headers };
  return [
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...(Object.keys(query).length > 0 ? [`    params=${JSON.stringify(query)},`] : []),
    `    headers=${indented(JSON.stringify(sent, null, 4), 4)},`,
    ...(body ? [`    ${form ? "data" : "json"}=${indented(pythonObject(body), 4)},`] : []),
    ")",
    "result = response.json()",
  ].join("\n");
}

function php({ method, url, key, form, query, headers, body }: SampleRequest): string {
  const sent = [
    `Authorization: Bearer ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body && !form ? ["Content-Type: application/json"] : []),
  ];
  const encoded = body ? (form ? "http_build_query" : "json_encode") : null;
  return [
    `$request = curl_init(${phpText(address(url, query))});`,
    "curl_setopt_array($request, [",
    "    CURLOPT_RETURNTRANSFER => true,",
    ...(method === "POST" ? ["    CURLOPT_POST => true,"] : []),
    "    CURLOPT_HTTPHEADER => [",
    ...sent.map((header) => `        ${phpText(header)},`),
    "    ],",
    ...(body && encoded
      ? [
          `    CURLOPT_POSTFIELDS => ${encoded}([`,
          ...Object.entries(body).map(([name, value]) => `        ${phpText(name)} => ${phpValue(value)},`),
          "    ]),",
        ]
      : []),
    "]);",
    "$result = json_decode(curl_exec($request), true);",
  ].join("\n");
}

export function address(url: string, query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? url : `${url}?${text}`;
}

function texts(body: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
}

/** Writes a Python dict: True, False and None differ from JSON. */
function pythonObject(body: Record<string, unknown>): string {
  const lines = Object.entries(body).map(([name, value]) => {
    const written =
      value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value);
    return `    ${JSON.stringify(name)}: ${written},`;
  });
  return ["{", ...lines, "}"].join("\n");
}

function phpValue(value: unknown): string {
  return typeof value === "string" ? phpText(value) : JSON.stringify(value);
}

function phpText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** Quotes for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function indented(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
