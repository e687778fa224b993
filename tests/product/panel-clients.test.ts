import { servePanelClient } from "./panel-client.ts";
import { test } from "./shared-copy.ts";

test("serves a Node panel client that knows only the URL and the key", ({ copy }) =>
  servePanelClient(copy, ["node", "panel.mjs"]));
