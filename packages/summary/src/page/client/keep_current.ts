/**
 * Script of a served page: loads the page again when the data have changed. A reader who has begun to search, sort or
 * choose keeps what he sees, and gets a button. It is embedded as text, so it uses nothing outside of this function.
 */
export function keepCurrent(): void {
  const status = document.querySelector<HTMLElement>("[data-changes]")!;
  const text = status.querySelector("span")!;
  const button = status.querySelector("button")!;
  let isTouched = false;
  let isNewer = false;

  for (const kind of ["click", "input"])
    document.querySelector("main")!.addEventListener(kind, () => {
      isTouched = true;
    });
  button.addEventListener("click", () => location.reload());
  document.addEventListener("visibilitychange", follow);

  const events = new EventSource(status.dataset["changes"]!);
  events.addEventListener("open", () => {
    if (!isNewer) text.textContent = "up to date";
  });
  events.addEventListener("change", () => {
    isNewer = true;
    events.close();
    follow();
  });
  events.addEventListener("trouble", ({ data }: MessageEvent<string>) => {
    text.textContent = `cannot be read now: ${JSON.parse(data) as string}`;
  });
  events.addEventListener("error", () => {
    text.textContent = "not connected: perdura-inspect serve has ended, or is busy";
  });

  function follow(): void {
    if (!isNewer || document.visibilityState === "hidden") return;
    if (!isTouched) location.reload();
    text.textContent = "there are newer data";
    button.hidden = false;
  }
}
