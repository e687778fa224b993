import { useEffect, useRef } from "react";

const SOUND_LOCK = "growline.support.sound";
/** Two short tones, in Hz. */
const TONES = [660, 880];
const TONE_SECONDS = 0.12;
const LOUDNESS = 0.08;

/** Plays a sound for each new message. `lastSeq`: of the other side's messages; null until known. */
export function useSound(isOn: boolean, unread: number, lastSeq: number | null): void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    const isNew = before.current !== null && lastSeq !== null && lastSeq > before.current;
    before.current = lastSeq;
    if (isOn && isNew && unread > 0) playOnce();
  }, [isOn, unread, lastSeq]);
}

/** Plays the sound in one of several tabs. */
export function playOnce(): void {
  // Absent on a page served over plain http.
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) {
    play();
    return;
  }
  void locks.request(SOUND_LOCK, { ifAvailable: true }, async (lock) => {
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
