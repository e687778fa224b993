import { useRef, useState } from "react";
import { ownValue } from "#app/own-value.ts";
import type { LandingCatalog } from "./landing-catalog.server.ts";
import type { Offer } from "./offers.server.ts";

/**
 * Keeps the offers that the page came with, and loads those of a network when they are needed. `load` returns null if they
 * can't be loaded.
 */
export function useNetworkOffers({ version, networks, offers }: LandingCatalog & { version: number }) {
  const [loaded, setLoaded] = useState<Record<string, Offer[]>>({});
  const requests = useRef(new Map<string, Promise<Offer[] | null>>());
  const [first] = networks;

  function offersOf(network: string): Offer[] {
    return ownValue(loaded, network) ?? (network === first?.name ? offers : []);
  }

  function load(network: string): Promise<Offer[] | null> {
    const known = offersOf(network);
    if (known.length > 0 && known.length === networks.find(({ name }) => name === network)?.count) {
      return Promise.resolve(known);
    }
    const running = requests.current.get(network);
    if (running) return running;
    const request = fetchOffers(version, network).then((found) => {
      if (found) setLoaded((before) => ({ ...before, [network]: found }));
      else requests.current.delete(network);
      return found;
    });
    requests.current.set(network, request);
    return request;
  }

  return { offersOf, load };
}

async function fetchOffers(version: number, network: string): Promise<Offer[] | null> {
  try {
    const query = new URLSearchParams({ version: String(version), network });
    const response = await fetch(`/catalog.json?${query}`);
    return response.ok ? ((await response.json()) as Offer[]) : null;
  } catch {
    return null;
  }
}
