/** Fields and buttons of forms, each with its label, and work that a person waits for. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { Failure } from './states.tsx'

export function Field({
  label,
  hint,
  value,
  onInput,
  type = 'text',
  ...more
}: {
  label: string
  hint?: string
  value: string
  onInput: (value: string) => void
  type?: 'text' | 'password' | 'number' | 'search' | 'month' | 'date' | 'url'
  placeholder?: string
  required?: boolean
  step?: string
  min?: string
  autoComplete?: string
}) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // Preact's types divide inputs by kind; the kinds of this field have the same attributes.
        type={type as 'text'}
        value={value}
        aria-describedby={hint === undefined ? undefined : hintId}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
        {...more}
      />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

/** The price of a call. */
export function Price(of: { value: string; onInput: (value: string) => void }) {
  return <Field label="Credits per call" type="number" step="any" min="0" {...of} />
}

export function TextArea({
  label,
  hint,
  value,
  onInput,
  rows = 12,
}: {
  label: string
  hint?: string
  value: string
  onInput: (value: string) => void
  rows?: number
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && <small>{hint}</small>}
    </div>
  )
}

export function Choice({
  label,
  hint,
  value,
  options,
  onChange,
}: {
  label: string
  hint?: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string) => void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <small>{hint}</small>}
    </div>
  )
}

/** Work that a button starts: one at a time, with its progress and its failure. */
export type Work = {
  readonly isRunning: boolean
  readonly error: ApiError | undefined
  start(work: () => Promise<unknown>): Promise<void>
}

export function useWork(): Work {
  const isRunning = useSignal(false)
  const error = useSignal<ApiError | undefined>(undefined)
  return {
    isRunning: isRunning.value,
    error: error.value,
    start: async (work) => {
      if (isRunning.peek()) return
      isRunning.value = true
      error.value = undefined
      try {
        await work()
      } catch (cause) {
        error.value = cause instanceof ApiError ? cause : new ApiError(0, { detail: String(cause) })
      } finally {
        isRunning.value = false
      }
    },
  }
}

/** A form whose submission is work. */
export function Form({
  work,
  onSubmit,
  submit,
  children,
  danger = false,
  isBlocked = false,
}: {
  work: Work
  onSubmit: () => Promise<unknown>
  submit: string
  children?: ComponentChildren
  danger?: boolean
  /** True while what was entered cannot be sent. */
  isBlocked?: boolean
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void work.start(onSubmit)
      }}
    >
      {children}
      {work.error !== undefined && <Failure error={work.error} />}
      <button
        type="submit"
        disabled={work.isRunning || isBlocked}
        class={danger ? 'danger' : 'primary'}
      >
        {work.isRunning ? 'Working…' : submit}
      </button>
    </form>
  )
}
