import { useCallback, useEffect, useRef, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { OAUTH_CHANNEL, parseOauthMessage } from "#app/gmail/connect/oauth-messages.ts";
import { type ConnectFault, connectFaultText } from "#app/gmail/connect/oauth-texts.ts";
import { postFunction } from "./post-function.ts";

const POPUP = { width: 600, height: 700 };
const POPUP_CHECK_MS = 1000;
const RECHECK_MS = 1000;

/** The native app around the page: whether there is one, and opening a URL in the system's browser. */
export type Shell = { isHere: () => boolean; open: (url: string) => Promise<void> };

type Status = { connected: boolean; connectedAt: number | null };

/**
 * Connects Gmail in Google's window. A message from that window is only a hint: the result counts when the server
 * confirms it. A COOP header can make an open window look closed, so listening continues after that.
 */
export function useConnect({
  shell,
  connectedAt,
  accessToken,
  onConnected,
}: {
  shell: Shell;
  /** Time of the previous connection in ms, if any. */
  connectedAt: number | null;
  accessToken: () => string | null;
  onConnected: () => void;
}): { connecting: boolean; fault: ConnectFault | null; connect: () => void } {
  const [connecting, setConnecting] = useState(false);
  const [fault, setFault] = useState<ConnectFault | null>(null);
  const end = useRef<() => void>(() => {});
  useEffect(() => () => end.current(), []);

  const fail = useCallback((found: ConnectFault) => {
    setConnecting(false);
    setFault(found);
  }, []);

  function listen(popup: Window) {
    end.current();
    let done = false;
    const channel = new BroadcastChannel(OAUTH_CHANNEL);
    const stop = () => {
      done = true;
      clearInterval(timer);
      channel.close();
      window.removeEventListener("message", onWindowMessage);
    };
    const recheck = async (): Promise<boolean> => {
      const status = await readStatus();
      if (done || !status?.connected || status.connectedAt === connectedAt) return false;
      stop();
      setConnecting(false);
      setFault(null);
      toast.success("Success!", { description: "Gmail account connected successfully." });
      onConnected();
      return true;
    };
    const receive = (data: unknown) => {
      const message = parseOauthMessage(data);
      if (done || !message) return;
      if (message.type === "GMAIL_OAUTH_SUCCESS") {
        void recheck();
        return;
      }
      stop();
      fail(message.fault);
      toast.error("Connection Failed", { description: message.error });
    };
    const onWindowMessage = (event: MessageEvent) => {
      if (event.origin === window.location.origin && event.source === popup) receive(event.data);
    };
    const onClosed = () => {
      clearInterval(timer);
      setTimeout(async () => {
        if (!done && !(await recheck()) && !done) fail("closed");
      }, RECHECK_MS);
    };
    const timer = setInterval(() => popup.closed && onClosed(), POPUP_CHECK_MS);
    channel.onmessage = (event) => receive(event.data);
    window.addEventListener("message", onWindowMessage);
    end.current = stop;
  }

  async function connect() {
    setFault(null);
    setConnecting(true);
    // The app has no popups, and Google refuses web views.
    const inShell = shell.isHere();
    // Before any await, because browsers block popups without a user gesture.
    const popup = inShell ? null : openPopup();
    if (!inShell && !popup) return fail("blocked");
    if (popup) listen(popup);
    const abandon = () => {
      end.current();
      popup?.close();
      setConnecting(false);
    };
    try {
      const response = await postFunction("gmail-oauth-auth", accessToken(), {
        action: "get-auth-url",
        mode: inShell ? "app" : "popup",
      });
      if (typeof response.authUrl === "string") {
        if (popup) popup.location.replace(response.authUrl);
        else {
          await shell.open(response.authUrl);
          setConnecting(false);
        }
        return;
      }
      abandon();
      const description = `Failed to get OAuth URL: ${response.error ?? "Unknown error"}`;
      toast.error("Error", { description });
    } catch (error) {
      abandon();
      const description = error instanceof Error ? error.message : String(error);
      toast.error("Connection failed", { description });
    }
  }

  return { connecting, fault, connect };
}

/** Shows the result of a connection that had no popup to report to. */
export function toastResult(fault: ConnectFault | null): void {
  if (fault === null) {
    toast.success("Success!", { description: "Gmail account connected successfully." });
  } else {
    toast.error("Connection Failed", { description: connectFaultText(fault) });
  }
}

function openPopup(): Window | null {
  const left = Math.round(window.screenX + (window.outerWidth - POPUP.width) / 2);
  const top = Math.round(window.screenY + (window.outerHeight - POPUP.height) / 2);
  const features = `popup,width=${POPUP.width},height=${POPUP.height},left=${left},top=${top}`;
  return window.open("about:blank", "growline-gmail", features);
}

async function readStatus(): Promise<Status | null> {
  try {
    const response = await fetch("/gmail-sync/status");
    return response.ok ? ((await response.json()) as Status) : null;
  } catch {
    return null;
  }
}
