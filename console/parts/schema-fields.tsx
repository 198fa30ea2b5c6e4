/** Shows the fields of a form that parts/schema-form.ts made, and keeps what is typed. */
import type { Signal } from '@preact/signals'
import { Choice, Field, TextArea } from './form.tsx'
import type { FormField } from './schema-form.ts'
import { toShown } from './text.tsx'

/** What was typed, by the name of the field. */
export type Typed = ReadonlyMap<string, string>

export function SchemaFields({
  fields,
  typed,
}: {
  fields: readonly FormField[]
  typed: Signal<Typed>
}) {
  return (
    <>
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={typed.value.get(field.name) ?? field.start}
          onInput={(text) => {
            typed.value = new Map(typed.peek()).set(field.name, text)
          }}
        />
      ))}
    </>
  )
}

function OneField({
  field: { choices, hint, isRequired, kind, label, name },
  value,
  onInput,
}: {
  field: FormField
  value: string
  onInput: (text: string) => void
}) {
  const shown = `${toShown(label || name)}${isRequired ? '' : ' (optional)'}`
  const bound = { value, onInput, ...(hint === '' ? {} : { hint: toShown(hint) }) }
  if (kind === 'text') return <Field label={shown} {...bound} />
  if (kind === 'number') return <Field label={shown} type="number" step="any" {...bound} />
  if (kind === 'json') return <TextArea label={`${shown}, as JSON`} rows={4} {...bound} />
  const options = choices.map(([json, text]) => [json, toShown(text)] as const)
  return <Choice label={shown} options={[['', '–'], ...options]} onChange={onInput} {...bound} />
}
