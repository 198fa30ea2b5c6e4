/**
 * A form that is a table of fields. It makes the body of a request of what a person changed. A field
 * that was emptied is sent as `null`, which takes its value away.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'
import { Choice, Field, Form, useWork } from './form.tsx'

export type FormField = {
  /** The member of the body. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** How the text becomes a value; a `list` has words with spaces or commas between them. */
  readonly as?: 'number' | 'list' | 'password' | 'boolean'
  /** The only values; the first one is chosen if the record has none. */
  readonly choices?: readonly (readonly [value: string, label: string])[]
  readonly required?: boolean
  /** What the record has. */
  readonly now?: unknown
}

export type RecordBody = { readonly [name: string]: unknown }

export type RecordFormOptions = {
  readonly fields: readonly FormField[]
  readonly submit: string
  readonly danger?: boolean
  /** Sends the body. The form keeps what was typed until this has succeeded. */
  readonly onSend: (body: RecordBody) => Promise<unknown>
}

export function RecordForm({ danger = false, fields, onSend, submit }: RecordFormOptions) {
  const texts = useSignal<{ readonly [name: string]: string }>({})
  const work = useWork()
  const send = async () => {
    await onSend(toBody(fields, texts.peek()))
    texts.value = {}
  }
  return (
    <Form work={work} onSubmit={send} submit={submit} danger={danger}>
      {fields.map(({ as, choices, hint, label, name, now, required = false }) => {
        const value = texts.value[name] ?? toText(now)
        const set = (text: string) => {
          texts.value = { ...texts.peek(), [name]: text }
        }
        if (choices !== undefined) {
          return <Choice key={name} label={label} value={value} options={choices} onChange={set} />
        }
        return (
          <Field
            key={name}
            label={label}
            value={value}
            onInput={set}
            required={required}
            type={as === 'number' || as === 'password' ? as : 'text'}
            {...(hint === undefined ? {} : { hint })}
            {...(as === 'number' ? { step: 'any' } : {})}
            {...(as === 'password' ? { autoComplete: 'new-password' } : {})}
          />
        )
      })}
    </Form>
  )
}

/** A button that opens a form in a dialog, and shows there what only one answer has. */
export function FormAction<T>({
  says,
  shows,
  onSend,
  ...form
}: Omit<RecordFormOptions, 'onSend'> & {
  readonly onSend: (body: RecordBody) => Promise<T>
  readonly says?: ComponentChildren
  /** Shows the answer until the person closes the dialog. Without it the dialog closes. */
  readonly shows?: (answer: T) => ComponentChildren
}) {
  const isOpen = useSignal(false)
  const answer = useSignal<{ readonly of: T } | undefined>(undefined)
  const set = (open: boolean) => {
    answer.value = undefined
    isOpen.value = open
  }
  const send = async (body: RecordBody) => {
    const of = await onSend(body)
    if (shows === undefined) set(false)
    else answer.value = { of }
  }
  return (
    <>
      <button type="button" class={form.danger ? 'danger' : undefined} onClick={() => set(true)}>
        {form.submit}
      </button>
      {isOpen.value && (
        <Dialog title={form.submit} onClose={() => set(false)}>
          {answer.value !== undefined && shows !== undefined ? (
            shows(answer.value.of)
          ) : (
            <>
              {says !== undefined && <p>{says}</p>}
              <RecordForm {...form} onSend={send} />
            </>
          )}
        </Dialog>
      )}
    </>
  )
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.join(' ') : String(value)
}

/** Leaves out what was not changed. */
function toBody(
  fields: readonly FormField[],
  texts: { readonly [name: string]: string },
): RecordBody {
  const body: { [name: string]: unknown } = {}
  for (const { as, name, now } of fields) {
    const text = texts[name]?.trim()
    if (text === undefined || text === toText(now)) continue
    body[name] = text === '' ? null : toValue(as, texts[name] ?? '')
  }
  return body
}

function toValue(as: FormField['as'], text: string): unknown {
  switch (as) {
    case 'number':
      return Number(text)
    case 'list':
      return text.split(/[\s,]+/).filter((word) => word !== '')
    case 'boolean':
      return text === 'true'
    case 'password':
      return text
    default:
      return text.trim()
  }
}
