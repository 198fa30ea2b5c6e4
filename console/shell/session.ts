/**
 * Who uses the console. The credential lives in memory alone: not in storage, not in a cookie, not
 * in an address. A reload asks for it again, and so does a page that nobody used for 15 minutes.
 */
import { computed, signal } from '@preact/signals'
import { type AdminRole, roleAllows } from '../../core/access/admin-role.ts'

export type Person =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'administrator'; readonly name: string; readonly role: AdminRole }
  | { readonly kind: 'user'; readonly uid: string; readonly username: string }

/** A page that nobody uses for this long forgets the credential. */
const IDLE_MS = 15 * 60_000
/** How often idleness is looked at. */
const LOOK_MS = 10_000

/** What a sign-in made. */
export type Credential = {
  headers(): Promise<{ readonly [header: string]: string }>
  /** Takes back tokens; undefined for a key. Must not throw. */
  end?(): void
}

export const person = signal<Person>({ kind: 'nobody' })
/** Why the last session ended, for the page that asks for a credential. */
export const endNote = signal<string | undefined>(undefined)

export const isAdministrator = computed(() => person.value.kind === 'administrator')

/** Headers of a credential, which a sign-in made. Undefined after the session ended. */
let credential: Credential | undefined
let usedAtMs = Date.now()

export function signIn(who: Person, by: Credential): void {
  credential = by
  usedAtMs = Date.now()
  endNote.value = undefined
  person.value = who
}

/** Forgets the credential first, and then ends at the issuer what the sign-in made. */
export function signOut(note?: string): void {
  const ended = credential
  credential = undefined
  endNote.value = note
  person.value = { kind: 'nobody' }
  ended?.end?.()
}

/** Returns the headers of the credential; none if nobody is signed in. */
export async function readCredential(): Promise<{ readonly [header: string]: string }> {
  return credential === undefined ? {} : credential.headers()
}

/** Tells whether the person may use what needs this role, as the gateway judges it. */
export function may(needed: AdminRole): boolean {
  if (person.value.kind !== 'administrator') return false
  return roleAllows(person.value.role, needed)
}

/** Notes that somebody is there, and ends the session of a page that was left alone. */
export function watchIdleness(): void {
  const look = () => {
    if (person.value.kind === 'nobody' || Date.now() - usedAtMs < IDLE_MS) return
    signOut('The page was not used for 15 minutes, so it forgot your sign-in.')
  }
  // A machine that slept wakes up with an event, and the timer comes later.
  const note = () => {
    look()
    usedAtMs = Date.now()
  }
  for (const event of ['pointerdown', 'keydown', 'wheel']) {
    addEventListener(event, note, { passive: true })
  }
  setInterval(look, LOOK_MS)
  addEventListener('pagehide', () => signOut())
}
