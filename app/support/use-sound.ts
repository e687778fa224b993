import { useLocation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { badgeText } from "./badge-text.ts";

const KEY = "growline.support.notices.v1";
const SOUND_LOCK = "growline.support.sound";
/** Two short tones, in Hz. */
const TONES = [660, 880];
const TONE_SECONDS = 0.12;
const LOUDNESS = 0.08;

/** Whether a new message makes a sound and shows in the tab's title; kept, and the same in every tab. */
export function useNoticesSetting(): { isOn: boolean; setOn: (on: boolean) => void } {
  const [isOn, setOn] = useState(() => typeof localStorage === "undefined" || localStorage.getItem(KEY) !== "off");
  useEffect(() => {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === KEY) setOn(newValue !== "off");
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, []);
  return {
    isOn,
    setOn(on) {
      localStorage.setItem(KEY, on ? "on" : "off");
      setOn(on);
    },
  };
}

/** `heardSeq`: up to which message of the other side this browser has heard; null before it knows. */
export function useNotices(isOn: boolean, unread: number, heardSeq: number | null): void {
  const { pathname } = useLocation();
  const before = useRef<number | null>(null);

  useEffect(() => {
    const isNew = before.current !== null && heardSeq !== null && heardSeq > before.current;
    before.current = heardSeq;
    if (isOn && isNew && unread > 0) playOnce();
  }, [isOn, unread, heardSeq]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another title
  useEffect(() => {
    if (!isOn || unread === 0) return;
    const title = document.title;
    const noticed = `(${badgeText(unread)}) ${title}`;
    document.title = noticed;
    return () => {
      if (document.title === noticed) document.title = title;
    };
  }, [isOn, unread, pathname]);
}

/** In one tab of several. */
export function playOnce(): void {
  // Absent on a plain http address.
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) {
    play();
    return;
  }
  locks.request(SOUND_LOCK, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    play();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  });
}

function play(): void {
  const audio = new AudioContext();
  const gain = audio.createGain();
  gain.gain.value = LOUDNESS;
  gain.connect(audio.destination);
  const tones = TONES.map((frequency, at) => {
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain);
    tone.start(audio.currentTime + at * TONE_SECONDS);
    tone.stop(audio.currentTime + (at + 1) * TONE_SECONDS);
    return tone;
  });
  tones.at(-1)?.addEventListener("ended", () => audio.close());
}
