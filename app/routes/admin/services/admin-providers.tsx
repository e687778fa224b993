import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Link, useActionData, useLoaderData } from "@remix-run/react";
import Server from "lucide-react/icons/server";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { readForm } from "#app/http/requests/read-form.ts";
import { addProvider, listProviders } from "#app/orders/staff/services/provider-admin.server.ts";
import { ProviderForm, ProviderState } from "#app/orders/staff/services/provider-form.tsx";
import { PROVIDER_TEXTS } from "#app/orders/staff/staff-action-texts.ts";
import { onceKey, parseStaffForm, providerInput, textsOf } from "#app/orders/staff/staff-input.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Providers · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  return { providers: await listProviders(context.db), once: crypto.randomUUID(), now: Date.now() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const form = await readForm(request);
  const parsed = parseStaffForm(providerInput, "provider", form);
  const { key: _, ...values } = textsOf(form);
  if (!parsed.ok) return data({ ...parsed.answer, values }, { status: 400 });
  const once = onceKey.safeParse(form.get("once"));
  if (!once.success) throw new Response(null, { status: 400 });
  const actor = actorOf(viewer);
  const made = await addProvider(context.db, context.env, actor, parsed.input, once.data);
  if (!made.ok) {
    return data({ intent: "provider", error: PROVIDER_TEXTS[made.reason], values, fields: undefined }, { status: 409 });
  }
  const said = "The provider is there. Test it, then import its catalog.";
  return redirect(`/admin/providers/${made.providerId}`, { headers: { "Set-Cookie": flashCookie(said) } });
}

export default function Providers() {
  const { number } = useFormats();
  const { providers, once, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  return (
    <>
      <h1 className="text-2xl">Providers</h1>
      <div className="mt-6 flex flex-col gap-6">
        <section aria-label="Providers" className="overflow-clip rounded-md border border-line bg-raised">
          {providers.length === 0 ? (
            <EmptyState icon={Server} title="No providers yet">
              A provider delivers what is ordered. Add one below; without any, every order is worked by hand.
            </EmptyState>
          ) : (
            <Table
              label="Providers"
              head={
                <>
                  <Th>Name</Th>
                  <Th>State</Th>
                  <Th>Address</Th>
                  <Th numeric>Services</Th>
                  <Th numeric>Markup</Th>
                </>
              }
            >
              {providers.map((provider) => (
                <tr key={provider.id}>
                  <Td>
                    <Link
                      to={`/admin/providers/${provider.id}`}
                      className="inline-flex h-11 items-center underline underline-offset-4 sm:h-10"
                    >
                      {provider.name}
                    </Link>
                  </Td>
                  <Td>
                    <ProviderState provider={provider} now={now} />
                  </Td>
                  <Td className="font-mono text-xs">{provider.apiUrl}</Td>
                  <Td numeric>{number(provider.services)}</Td>
                  <Td numeric>{provider.markupPercent === null ? "—" : `${provider.markupPercent}%`}</Td>
                </tr>
              ))}
            </Table>
          )}
        </section>
        <div className="max-w-3xl">
          <Card title="Add a provider" titleId="add">
            <ProviderForm provider={null} once={once} answer={answer} />
          </Card>
        </div>
      </div>
    </>
  );
}
