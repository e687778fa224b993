import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownValue } from "#app/own-value.ts";
import { CommandError } from "#tools/run/command-line.ts";
import { readJsonFile, replaceFile } from "#tools/run/state-files.ts";
import {
  alertEmailsFault,
  domainFault,
  LOCATIONS,
  locationFault,
  loginErrorsFault,
  mailboxFault,
  metricsFault,
  secondFactorFault,
  senderFault,
} from "./choice-faults.ts";

/** Choices of an operator for an environment: `deployments/<environment>.json`, which is committed and has no secret. */

export const ENVIRONMENTS = ["staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

type Answers = {
  domain: string;
  sender: string;
  loginErrors: string;
  staffSecondFactor: string;
  location: string;
  smokeTestEmail: string;
  alertEmail: string;
  metrics?: string;
};
export type Choices = Answers & {
  /** Ids by binding, written when the databases are made. */
  databases: Record<string, string>;
  /** Other variables of wrangler.toml, such as EMAIL_API_URL. */
  vars: Record<string, string>;
};

type Question = {
  key: keyof Answers;
  flag: string;
  /** With the meaning of each answer. */
  text: string;
  fault: (value: string) => string | null;
  /** Isn't asked: unset means something. */
  isOptional?: true;
};

export const QUESTIONS: Question[] = [
  {
    key: "domain",
    flag: "domain",
    text: "Domain of the site, such as panel.your-domain.com. Its DNS must be in this Cloudflare account",
    fault: domainFault,
  },
  {
    key: "sender",
    flag: "sender",
    text: "Sender of every email, such as no-reply@your-domain.com",
    fault: senderFault,
  },
  {
    key: "loginErrors",
    flag: "login-errors",
    text: `Refused logins. "spec": the specification's texts, by which anybody can find out which emails have an account.
"uniform": one text for all, so a customer with an old password isn't told why`,
    fault: loginErrorsFault,
  },
  {
    key: "staffSecondFactor",
    flag: "staff-second-factor",
    text: `Second factor of staff. "required": agents and admins need a passkey or an authenticator app. "off": they don't`,
    fault: secondFactorFault,
  },
  {
    key: "location",
    flag: "location",
    text: `Where the databases and files are, near your customers; it can't be changed later. One of ${LOCATIONS.join(", ")}
(Western Europe, Eastern Europe, Eastern and Western North America, Asia-Pacific, Oceania)`,
    fault: locationFault,
  },
  {
    key: "smokeTestEmail",
    flag: "smoke-test-email",
    text: "Address that gets the smoke test's emails, such as you+smoke@your-domain.com. It gets an account of its own",
    fault: mailboxFault,
  },
  {
    key: "alertEmail",
    flag: "alert-email",
    text: "Addresses of those who are told when something is wrong, up to 5, comma-separated, such as you@your-domain.com",
    fault: alertEmailsFault,
  },
  {
    key: "metrics",
    flag: "metrics",
    text: `"on" writes counters by route and job to Analytics Engine, which must be turned on in the dashboard first. "off" if unset`,
    fault: metricsFault,
    isOptional: true,
  },
];

export function choicesFile(environment: Environment): string {
  return `deployments/${environment}.json`;
}

/** Password and key of the account that the smoke test uses there. */
export function smokeAccountFile(environment: Environment): string {
  return `deployments/${environment}.smoke.json`;
}

/** Returns what is chosen so far. */
export function readChoices(root: string, environment: Environment): Partial<Choices> {
  const stored = readJsonFile(join(root, choicesFile(environment)), "Take it back from git.");
  return (stored ?? {}) as Partial<Choices>;
}

export function writeChoices(root: string, environment: Environment, choices: Choices): void {
  writeJson(join(root, choicesFile(environment)), choices);
}

/** Only its owner may read the file. */
export function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Asks a person. Returns what was typed. */
export type Ask = (question: string) => Promise<string>;

/**
 * Returns the choices with those of the flags, and with the person's answers to what is missing. Throws one line for each
 * choice that is missing or can't be deployed.
 */
export async function completeChoices(
  stored: Partial<Choices>,
  flags: Record<string, string | undefined>,
  ask: Ask | null,
): Promise<Choices> {
  const answers: Partial<Answers> = {};
  const faults: string[] = [];
  for (const { key, flag, text, fault, isOptional } of QUESTIONS) {
    let value = ownValue(flags, flag) ?? stored[key];
    if (value === undefined && isOptional) continue;
    while (ask && (value === undefined || fault(value) !== null)) {
      const why = value === undefined ? "" : `${fault(value)}\n`;
      value = (await ask(`${why}${text}: `)).trim();
    }
    if (value === undefined) faults.push(`--${flag} is missing. ${text.replaceAll("\n", " ")}.`);
    else if (fault(value) !== null) faults.push(fault(value) as string);
    else answers[key] = value;
  }
  if (faults.length > 0) throw new Refusals(faults);
  return { ...(answers as Answers), databases: stored.databases ?? {}, vars: stored.vars ?? {} };
}

/** Reasons not to deploy, one line each. Nothing was changed. */
export class Refusals extends CommandError {
  override name = "Refusals";
  readonly reasons: string[];
  constructor(reasons: string[]) {
    super(reasons.join("\n"));
    this.reasons = reasons;
  }
}
