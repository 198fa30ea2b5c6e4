/** What a page shows while it loads, when it fails, and when there is nothing. */
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api/client.ts'
import type { Loading } from '../api/load.ts'
import { toShown } from './text.tsx'

/** Shows `children` of what was loaded. */
export function Loaded<T>({
  of,
  children,
}: {
  of: Loading<T>
  children: (value: T) => ComponentChildren
}) {
  const state = of.state.value
  switch (state.kind) {
    case 'loading':
      return (
        <p class="waiting" role="status">
          Loading…
        </p>
      )
    case 'failed':
      return <Failure error={state.error} onRetry={of.reload} />
    case 'ready':
      return <>{children(state.value)}</>
    default:
      return state satisfies never
  }
}

/** What went wrong, each fault on a line of its own. */
export function Failure({ error, onRetry }: { error: ApiError; onRetry?: () => unknown }) {
  return (
    <div class="failure" role="alert">
      <p>{toShown(error.message)}</p>
      {error.errors.length > 1 && (
        <ul>
          {error.errors.map(({ message, pointer }) => (
            <li key={pointer + message}>
              <code>{toShown(pointer)}</code> {toShown(message)}
            </li>
          ))}
        </ul>
      )}
      {onRetry !== undefined && (
        <button type="button" onClick={() => void onRetry()}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Nothing is there yet: says what would be, and how it comes. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}
