/** Ways to write a Cookie header with the session, and whether Remix finds it there. */
export const COOKIE_SPELLINGS: [spelling: string, write: (name: string, value: string) => string, isFound: boolean][] =
  [
    ["as browsers do", (name, value) => `${name}=${value}`, true],
    ["a blank before =", (name, value) => `${name} =${value}`, true],
    ["a tab before =", (name, value) => `${name}\t=${value}`, true],
    ["blanks on all sides", (name, value) => ` ${name}  =  ${value} ;`, true],
    ["in quotes", (name, value) => `${name}="${value}"`, true],
    ["a blank before = in quotes", (name, value) => `${name} = "${value}"`, true],
    ["behind another cookie", (name, value) => `a=1; ${name} =${value}`, true],
    ["behind another cookie without a blank", (name, value) => `a=1;${name}\t=${value}`, true],
    ["behind our own cookie", (name, value) => `__Host-growline_dismissed=x; ${name} =${value}`, true],
    ["behind text that is no cookie", (name, value) => `a; ${name} =${value}`, true],
    ["behind an empty cookie", (name, value) => `; =; ${name} =${value}`, true],
    ["in front of its own name", (name, value) => `${name} =${value}; ${name}=other`, true],
    ["behind its own name", (name, value) => `${name}=other; ${name} =${value}`, false],
    ["in uppercase", (name, value) => `${name.toUpperCase()}=${value}`, false],
    ["with an encoded name", (name, value) => `${name.replaceAll("_", "%5F")}=${value}`, false],
    ["without the prefix", (name, value) => `${name.replace("__Host-", "")}=${value}`, false],
    ["with a comma", (name, value) => `a=1, ${name}=${value}`, false],
  ];
