/**
 * Asks for a credential. A key that begins with `sgk_` is a user's; any other is an administrator's.
 */
import { useSignal } from '@preact/signals'
import { ApiError, tryCredential } from '../api/client.ts'
import { CatalogueLink } from '../parts/catalogue-link.tsx'
import { Field, Form, useWork } from '../parts/form.tsx'
import { ADMIN_ROLES, type AdminRole, endNote, signIn } from './session.ts'

const USER_KEY = 'sgk_'

type Whoami = { readonly name: string; readonly role: AdminRole }
type Me = { readonly uid: string; readonly username: string }

export function SignIn() {
  const key = useSignal('')
  const work = useWork()
  return (
    <main class="sign-in">
      <h1>Skillgate</h1>
      {endNote.value !== undefined && <p role="status">{endNote.value}</p>}
      <Form work={work} onSubmit={() => signInWithKey(key.peek().trim())} submit="Sign in">
        <Field
          label="Key"
          type="password"
          value={key.value}
          onInput={(text) => {
            key.value = text
          }}
          hint="An administrator's key, or your own API key. This page keeps it in memory alone: a reload asks for it again."
          required
        />
      </Form>
      <CatalogueLink />
    </main>
  )
}

async function signInWithKey(key: string): Promise<void> {
  if (key === '') throw new ApiError(0, { detail: 'Key: is empty. Paste a key.' })
  if (key.startsWith(USER_KEY)) {
    const headers = { Authorization: `Bearer ${key}` }
    const { uid, username } = await tryCredential<Me>('me', headers)
    signIn({ kind: 'user', uid, username }, () => Promise.resolve(headers))
    return
  }
  const headers = { 'X-Admin-Key': key }
  const { name, role } = await tryCredential<Whoami>('admin/whoami', headers)
  if (!ADMIN_ROLES.includes(role)) throw new ApiError(0, { detail: `The role ${role} is unknown.` })
  signIn({ kind: 'administrator', name, role }, () => Promise.resolve(headers))
}
