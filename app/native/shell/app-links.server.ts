import { DEEP_LINKS } from "./deep-links.ts";

/** Builds the files that Android and iOS read to let the app open our links. */

type AppLinkSettings = Pick<Env, "ANDROID_APP_ID" | "ANDROID_CERT_SHA256" | "IOS_APP_ID">;

/** Builds the body of `assetlinks.json`. Returns null if the operator has not configured the app. */
export function assetLinks({ ANDROID_APP_ID, ANDROID_CERT_SHA256 }: AppLinkSettings): unknown[] | null {
  const fingerprints = list(ANDROID_CERT_SHA256);
  if (!ANDROID_APP_ID || fingerprints.length === 0) return null;
  return [
    {
      relation: ["delegate_permission/common.handle_all_urls"],
      target: { namespace: "android_app", package_name: ANDROID_APP_ID, sha256_cert_fingerprints: fingerprints },
    },
  ];
}

/** Builds the body of `apple-app-site-association`. Returns null if the operator has not configured the app. */
export function appSiteAssociation({ IOS_APP_ID }: AppLinkSettings): object | null {
  const appIDs = list(IOS_APP_ID);
  if (appIDs.length === 0) return null;
  // The first match wins.
  const components = DEEP_LINKS.flatMap(({ path, below, except = [] }) => [
    ...except.map((excluded) => ({ "/": excluded, exclude: true })),
    { "/": path },
    ...(below ? [{ "/": `${path}/*` }] : []),
  ]);
  return { applinks: { details: [{ appIDs, components }] }, webcredentials: { apps: appIDs } };
}

function list(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}
