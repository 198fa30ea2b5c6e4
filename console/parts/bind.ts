/** Joins a field of a form to a signal that keeps what a person types. */
import type { Signal } from '@preact/signals'

export function bind(text: Signal<string>): { value: string; onInput: (value: string) => void } {
  return {
    value: text.value,
    onInput: (value) => {
      text.value = value
    },
  }
}
