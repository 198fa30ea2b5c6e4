/** What only a credential without limits may see and change; others get a sentence instead. */
import type { ComponentChildren } from 'preact'
import { useLoad } from '../../api/load.ts'
import { Loaded } from '../../parts/states.tsx'
import { askOnce, type Me } from './me.ts'

export function Managed({ children }: { children: (me: Me) => ComponentChildren }) {
  const me = useLoad(askOnce)
  return (
    <Loaded of={me}>
      {(value) =>
        value.mayManage ? (
          children(value)
        ) : (
          <p>This needs a key without limits. Sign in with one, or ask your administrator.</p>
        )
      }
    </Loaded>
  )
}
