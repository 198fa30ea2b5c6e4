/**
 * Asks who is there: a button for each issuer, and a field for a key where there is no other way. A
 * key that begins with `sgk_` is a user's; any other is an administrator's.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ADMIN_ROLES, type AdminRole } from '../../core/access/admin-role.ts'
import { ApiError, tryCredential } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { CatalogueLink } from '../parts/catalogue-link.tsx'
import { Field, Form, useWork } from '../parts/form.tsx'
import { Failure, Loaded } from '../parts/states.tsx'
import { comeBack, leave, type Way } from './redirect-state.ts'
import { type Credential, endNote, type Person, signIn } from './session.ts'
import { openTokens } from './tokens.ts'

const USER_KEY = 'sgk_'

type Whoami = { readonly name: string; readonly role: AdminRole }
type Me = { readonly uid: string; readonly username: string }
type Ways = {
  readonly redirectUri: string
  readonly ways: readonly Way[]
  readonly keys: { readonly [audience in Way['audience']]: boolean }
}

export function SignIn() {
  const ways = useLoad((signal) => tryCredential<Ways>('console/sign-in', {}, { signal }))
  const work = useWork()
  useEffect(() => {
    void work.start(finishSignIn)
  }, [])
  return (
    <main class="sign-in">
      <h1>Skillgate</h1>
      {endNote.value !== undefined && <p role="status">{endNote.value}</p>}
      {work.error !== undefined && <Failure error={work.error} />}
      {work.isRunning ? (
        <p role="status">Signing in…</p>
      ) : (
        <Loaded of={ways}>
          {(found) => (
            <>
              {found.ways.map((way) => (
                <button
                  key={way.audience + way.issuer}
                  type="button"
                  class="primary"
                  onClick={() => void work.start(() => leave(way, found.redirectUri))}
                >
                  {toLabel(way)}
                </button>
              ))}
              {(found.keys.administrators || found.keys.users) && <KeyForm keys={found.keys} />}
            </>
          )}
        </Loaded>
      )}
      <CatalogueLink />
    </main>
  )
}

function toLabel({ audience, isOwn, issuer }: Way): string {
  if (isOwn) return 'Sign in with your API key or invitation'
  const by = `Sign in with ${new URL(issuer).host}`
  return audience === 'users' ? by : `${by} as administrator`
}

function KeyForm({ keys }: { keys: Ways['keys'] }) {
  const key = useSignal('')
  const work = useWork()
  const whose = [
    ...(keys.administrators ? ["an administrator's key"] : []),
    ...(keys.users ? ['your own API key'] : []),
  ].join(', or ')
  return (
    <Form work={work} onSubmit={() => signInWithKey(key.peek().trim(), keys)} submit="Sign in">
      <Field
        label="Key"
        type="password"
        value={key.value}
        onInput={(text) => {
          key.value = text
        }}
        hint={`Enter ${whose}. This page keeps it in memory alone: a reload asks for it again.`}
        required
      />
    </Form>
  )
}

/** Goes on where the issuer sent the browser back. Tokens that open nothing are taken back. */
async function finishSignIn(): Promise<void> {
  const back = await comeBack()
  if (back === undefined) return
  const tokens = openTokens(back.way, back.tokens)
  try {
    signIn(await findPerson(back.way.audience, await tokens.headers()), tokens)
  } catch (cause) {
    tokens.end?.()
    throw cause
  }
}

async function findPerson(
  audience: Way['audience'],
  headers: Awaited<ReturnType<Credential['headers']>>,
): Promise<Person> {
  if (audience === 'users') {
    const { uid, username } = await tryCredential<Me>('me', headers)
    return { kind: 'user', uid, username }
  }
  const { name, role } = await tryCredential<Whoami>('admin/whoami', headers)
  if (!ADMIN_ROLES.includes(role)) throw new ApiError(0, { detail: `The role ${role} is unknown.` })
  return { kind: 'administrator', name, role }
}

async function signInWithKey(key: string, keys: Ways['keys']): Promise<void> {
  if (key === '') throw new ApiError(0, { detail: 'Key: is empty. Paste a key.' })
  const audience = key.startsWith(USER_KEY) ? 'users' : 'administrators'
  if (!keys[audience]) {
    const detail = 'Key: people sign in with a button above. Keys are for programs here.'
    throw new ApiError(0, { detail })
  }
  const headers = audience === 'users' ? { Authorization: `Bearer ${key}` } : { 'X-Admin-Key': key }
  signIn(await findPerson(audience, headers), { headers: () => Promise.resolve(headers) })
}
