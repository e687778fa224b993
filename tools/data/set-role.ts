import type { SQLWrapper } from "drizzle-orm";
import { z } from "zod";
import { issueSetupLink } from "#app/accounts/factors/staff-setup-links.server.ts";
import { giveRole } from "#app/accounts/staff/operator-role.server.ts";
import { connect, type Db } from "#app/db/db.server.ts";
import { ROLES, type Role } from "#app/db/schema.server.ts";
import { endProgramAccess } from "#app/orders/program-access.server.ts";
import { EXIT_USAGE, readArguments, STATE_DIR_OPTION } from "#tools/run/command-line.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { setupOrigin } from "./staff-setup-link.ts";

const USAGE = `npm run admin -- EMAIL ROLE [--vouch] [--remote | --state-dir DIR]

ROLE is one of ${ROLES.join(", ")}. If it changes, the account is logged out of all devices. For staff without a second
factor it prints a link that sets up the first one. The link works once and expires in 24 hours. It replaces earlier ones.

An account with an unconfirmed email address becomes staff with --vouch only. Somebody else may have signed up with the
address, so that sets the account aside: its password, sessions, second factors, API keys, webhooks and pending changes end,
and a link for a new password is printed.`;

const NO_ORIGIN = "Set a new password with “Forgot your password?” on the login page.";
const NO_LINK =
  "There is no link for the second step of the login: nobody knows the copy's address yet. Start the copy once, then run this again.";
const REFUSALS = {
  no_account: (to: string) => `No account uses the email address ${to}.`,
  email_unconfirmed: (
    to: string,
  ) => `${to} is not confirmed, so anybody may have signed up with it. Nothing was changed.
Open the link in the confirmation email, then run this again. If no email arrives, add --vouch, which sets the account
aside and prints a link for a new password.`,
};

const { values: options, positionals } = readArguments({
  usage: USAGE,
  options: {
    vouch: { type: "boolean", default: false },
    remote: { type: "boolean", default: false },
    ...STATE_DIR_OPTION,
  },
  min: 2,
  max: 2,
});
const [email, wanted] = positionals;
const role = z.enum(ROLES).safeParse(wanted);

if (email === undefined || !role.success) {
  console.error(`"${wanted}" is no role.\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
} else {
  const database = await openDatabase({ remote: options.remote, stateDir: options["state-dir"] });
  try {
    process.exitCode = await setRole(connect(database.binding), email, role.data);
  } finally {
    await database.close();
  }
}

/** Returns the exit code. */
async function setRole(db: Db, to: string, newRole: Role): Promise<number> {
  // Before anything is changed: reading it may fail.
  const origin = setupOrigin({ remote: options.remote, stateDir: options["state-dir"] });
  const vouch = { statements: (owner: SQLWrapper) => endProgramAccess(db, owner) };
  const given = await whenFree(() => giveRole(db, to, newRole, options.vouch ? vouch : null));
  if (!given.ok) {
    console.error(REFUSALS[given.reason](to));
    return 1;
  }
  console.log(`${to} has the role ${newRole}.`);
  if (given.resetToken !== null) {
    console.log("Its password, sessions, second factors, API keys, webhooks and pending changes ended.");
    console.log(
      origin ? `Set a new password, once and within an hour:\n${resetLink(origin, given.resetToken)}` : NO_ORIGIN,
    );
  }
  if (newRole === "customer") return 0;
  const link = origin ? await whenFree(() => issueSetupLink(db, to, origin)) : null;
  if (link) console.log(`Set up the second step of the login, once and within 24 hours:\n${link}`);
  if (!origin) console.log(NO_LINK);
  return 0;
}

function resetLink(origin: string, token: string): string {
  return `${origin}/reset-password?${new URLSearchParams({ token })}`;
}
