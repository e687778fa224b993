import { type ComponentType, type FunctionComponent, lazy } from "react";

/** Loads a part of the panel when it is first shown. One that can't be loaded is left out: the chat goes on without it. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy<FunctionComponent<P>>(async () => {
    const Part = await load().catch(() => () => null);
    return { default: Part as FunctionComponent<P> };
  });
}
