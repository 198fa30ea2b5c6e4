/** Binds a field of a form to a signal. */
import type { Signal } from '@preact/signals'

/** Returns the properties of a field that shows the signal and changes it. */
export function bind(signal: Signal<string>) {
  return {
    value: signal.value,
    onInput: (text: string) => {
      signal.value = text
    },
  }
}
