/**
 * A button that changes something. What cannot be undone asks first, and takes the name of the thing
 * as the answer.
 */
import { useSignal } from '@preact/signals'
import { Dialog } from './dialog.tsx'
import { Field, Form, useWork } from './form.tsx'
import { Failure } from './states.tsx'
import { toShown } from './text.tsx'

export type ActionOptions = {
  readonly label: string
  /** The change. What it throws is shown beside the button, or in the dialog. */
  readonly onDo: () => Promise<unknown>
  /** What the change does, for the dialog. Without it and `confirm`, nothing is asked. */
  readonly says?: string
  /** The text that the person must type first, such as the name of the user. */
  readonly confirm?: string
  readonly danger?: boolean
}

export function Action({
  confirm,
  danger = confirm !== undefined,
  label,
  onDo,
  says,
}: ActionOptions) {
  const work = useWork()
  const isOpen = useSignal(false)
  const asks = says !== undefined || confirm !== undefined
  const start = () => {
    if (asks) isOpen.value = true
    else void work.start(onDo)
  }
  return (
    <>
      <button
        type="button"
        class={danger ? 'danger' : undefined}
        disabled={work.isRunning}
        onClick={start}
      >
        {work.isRunning ? 'Working…' : label}
      </button>
      {!isOpen.value && work.error !== undefined && <Failure error={work.error} />}
      {isOpen.value && (
        <Confirmation
          {...{ confirm, danger, label, onDo, says }}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </>
  )
}

function Confirmation({
  confirm,
  danger,
  label,
  onClose,
  onDo,
  says,
}: { [name in keyof ActionOptions]: ActionOptions[name] | undefined } & {
  onClose: () => void
}) {
  const typed = useSignal('')
  const work = useWork()
  const run = async () => {
    await onDo?.()
    onClose()
  }
  return (
    <Dialog title={label ?? ''} onClose={onClose}>
      {says !== undefined && <p>{says}</p>}
      <Form
        work={work}
        onSubmit={run}
        submit={label ?? ''}
        danger={danger === true}
        isBlocked={confirm !== undefined && typed.value !== confirm}
      >
        {confirm !== undefined && (
          <Field
            label={`Type ${toShown(confirm)} to go on`}
            value={typed.value}
            onInput={(text) => {
              typed.value = text
            }}
          />
        )}
      </Form>
    </Dialog>
  )
}
