import { parseArgs } from "node:util";
import { z } from "zod";
import { vouchForEmail } from "#app/accounts/email-address/email-verification.server.ts";
import { issueSetupLink } from "#app/accounts/factors/staff-setup-links.server.ts";
import { setRole } from "#app/accounts/profile/profile.server.ts";
import { connect } from "#app/db/db.server.ts";
import { ROLES } from "#app/db/schema.server.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { setupOrigin } from "./staff-setup-link.ts";

const USAGE = `npm run admin -- EMAIL ROLE [--remote | --state-dir DIR]

ROLE is one of ${ROLES.join(", ")}. If it changes, the account is logged out of all devices. Its email
address counts as confirmed from then on. For staff without a second factor it prints a link that sets up the first one.
The link works once and expires in 24 hours. It replaces earlier ones.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    remote: { type: "boolean", default: false },
    "state-dir": { type: "string", default: process.env.STATE_DIR ?? ".local" },
  },
});
const [email, wanted] = positionals;
const role = z.enum(ROLES).safeParse(wanted);

if (email === undefined || !role.success || positionals.length > 2) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const database = await openDatabase({ remote: options.remote, stateDir: options["state-dir"] });
  try {
    const db = connect(database.binding);
    const found = await whenFree(() => setRole(db, email, role.data));
    if (found) await whenFree(() => vouchForEmail(db, email));
    console.log(found ? `${email} has the role ${role.data}.` : `No account uses the email address ${email}.`);
    const origin = setupOrigin({ remote: options.remote, stateDir: options["state-dir"] });
    if (found && role.data !== "customer" && origin) {
      const link = await whenFree(() => issueSetupLink(db, email, origin));
      if (link) console.log(`Set up the second step of the login, once and within 24 hours:\n${link}`);
    }
    process.exitCode = found ? 0 : 1;
  } finally {
    await database.close();
  }
}
