/** A text of JSON that a person edits, with each fault at its place. */
import type { Signal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { findJsonFault } from '../../core/json/json-fault.ts'
import { ApiError } from '../api/client.ts'
import type { FieldError } from '../api/field-error.ts'
import { findPlace } from './find-place.ts'
import { toShown } from './text.tsx'

/** `faults` are those of the text as it is. A change of the text removes them. */
export function JsonEditor({
  faults,
  label,
  rows = 24,
  text,
}: {
  faults: Signal<readonly FieldError[]>
  label: string
  rows?: number
  text: Signal<string>
}) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const show = (at: number) => {
    const end = text.peek().indexOf('\n', at)
    area.current?.focus()
    area.current?.setSelectionRange(at, end === -1 ? text.peek().length : end)
  }
  return (
    <div class="editor">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        ref={area}
        rows={rows}
        spellcheck={false}
        value={text.value}
        aria-invalid={faults.value.length > 0}
        onInput={(event) => {
          text.value = event.currentTarget.value
          faults.value = []
        }}
      />
      {faults.value.length > 0 && (
        <ul class="faults" role="alert">
          {faults.value.map(({ message, offset, pointer }) => {
            const at = offset ?? findPlace(text.value, pointer)
            const line = text.value.slice(0, at).split('\n').length
            return (
              <li key={pointer + message}>
                <button type="button" class="quiet" onClick={() => show(at)}>
                  Line {line}
                </button>
                <code>{toShown(pointer.slice(1))}</code> {toShown(message)}
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

/** Works, and shows the faults of a refusal at their places instead of in a list. */
export async function withFaults(
  faults: Signal<readonly FieldError[]>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    faults.value = cause.errors
    throw new ApiError(cause.status, { detail: cause.message })
  }
}

/** Parses the text. Throws an ApiError that names the place where it is not JSON. */
export function parseText(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    // The words of browsers differ, and not all of them name the place.
    const found = findJsonFault(text)
    throw toFault(`Not JSON: ${found?.message ?? String(cause)}.`, found?.offset)
  }
  throw toFault('The text is no JSON object. Begin it with { .', 0)
}

function toFault(message: string, offset?: number): ApiError {
  return new ApiError(0, { detail: message, errors: [{ pointer: '', message, offset }] })
}
