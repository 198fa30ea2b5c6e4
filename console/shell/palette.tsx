/** Finds a page, a user or a skill by a few letters, and goes there. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../api/client.ts'
import { listPages } from '../pages/pages.ts'
import { Dialog } from '../parts/dialog.tsx'
import { toShown } from '../parts/text.tsx'
import { go, toHref } from './route.ts'
import { isAdministrator, may, person } from './session.ts'

type Target = { readonly title: string; readonly kind: string; readonly href: string }

const FOUND_MAX = 8
/** Letters before users and skills are searched. */
const LETTERS_MIN = 2
/** After the last letter: a search reads many records. */
const SEARCH_AFTER_MS = 200

export function Palette({ onClose }: { onClose: () => void }) {
  const text = useSignal('')
  const at = useSignal(0)
  const records = useSignal<readonly Target[]>([])
  useEffect(() => {
    records.value = []
    const typed = text.value.trim()
    if (!isAdministrator.peek() || typed.length < LETTERS_MIN) return
    const controller = new AbortController()
    const add = (found: readonly Target[]) => {
      records.value = [...records.value, ...found]
    }
    const timer = setTimeout(() => {
      // Pages are found without the gateway.
      for (const find of [findUsers, findSkills]) {
        find(typed, controller.signal).then(add, () => {})
      }
    }, SEARCH_AFTER_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text.value])
  const found = [...findPages(text.value), ...records.value]
  const choose = (target: Target | undefined) => {
    if (target === undefined) return
    go(target.href)
    onClose()
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        type="search"
        aria-label="Page, user or skill"
        value={text.value}
        autoComplete="off"
        onInput={(event) => {
          text.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') at.value = Math.min(found.length - 1, at.value + 1)
          if (event.key === 'ArrowUp') at.value = Math.max(0, at.value - 1)
          if (event.key === 'Enter') choose(found[at.value])
        }}
      />
      <ul class="found">
        {found.map((target, index) => (
          <li key={target.href}>
            <button
              type="button"
              class={index === at.value ? 'chosen' : undefined}
              onClick={() => choose(target)}
            >
              {toShown(target.title)} <small>{target.kind}</small>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function findPages(text: string): readonly Target[] {
  const words = text.trim().toLowerCase()
  return listPages(person.value, may)
    .filter(({ title }) => title.toLowerCase().includes(words))
    .map(({ path, title }) => ({ title, kind: 'page', href: toHref(path.split('/')) }))
}

async function findUsers(text: string, signal: AbortSignal): Promise<readonly Target[]> {
  type Found = { readonly users: readonly { readonly uid: string; readonly username: string }[] }
  const query = { username: text, limit: FOUND_MAX }
  const { users } = await ask<Found>('admin/users', { query, signal })
  return users.map(({ uid, username }) => ({
    title: username,
    kind: `user ${toShown(uid)}`,
    href: toHref(['users', uid]),
  }))
}

async function findSkills(text: string, signal: AbortSignal): Promise<readonly Target[]> {
  type Found = { readonly skills: readonly { readonly skillId: string; readonly source: string }[] }
  const query = { search: text, limit: FOUND_MAX }
  const { skills } = await ask<Found>('admin/skills', { query, signal })
  return skills.map(({ skillId, source }) => ({
    title: skillId,
    kind: `${toShown(source)} skill`,
    href: toHref(['skills', source, skillId]),
  }))
}
