/** The frame of all pages: who is signed in, where one can go, and the page itself. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { writeShellLine } from '../../core/json/shell-line.ts'
import { ApiError } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import type { Page, Views } from '../pages/page.ts'
import { type FoundPage, findListed, findPage, listPages } from '../pages/pages.ts'
import { Empty, Loaded } from '../parts/states.tsx'
import { CopyButton, toShown } from '../parts/text.tsx'
import { Palette } from './palette.tsx'
import { route, toHref } from './route.ts'
import { may, person, signOut } from './session.ts'
import { SignIn } from './sign-in.tsx'

export function App() {
  const who = person.value
  const found = findPage(route.value, who)
  const isPublic = found?.page.audience === 'everybody'
  if (who.kind === 'nobody' && !isPublic) return <SignIn />
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the page
      </button>
      <Header />
      <main id="main" tabIndex={-1}>
        {found === undefined ? (
          <Empty title="There is no such page.">
            <p>Choose one above, or press Ctrl-K to find one.</p>
          </Empty>
        ) : (
          <Shown key={found.page.load} found={found} />
        )}
      </main>
    </>
  )
}

function Shown({ found }: { found: FoundPage }) {
  const { page } = found
  const script = useLoad(() => loadScript(page))
  const loaded = script.state.value
  const view = loaded.kind === 'ready' ? loaded.value[page.path] : undefined
  return (
    <>
      <header class="page-head">
        <h1>{page.title}</h1>
        {view?.command !== undefined && (
          <CopyButton
            text={writeShellLine(view.command(found).map(toShown))}
            label="Copy as command line"
          />
        )}
      </header>
      <Loaded of={script}>{() => view?.render(found)}</Loaded>
    </>
  )
}

/** The names of scripts change with a deploy, and the ones before are gone then. */
async function loadScript({ load }: Page): Promise<Views> {
  try {
    return (await load()).VIEWS
  } catch {
    const detail =
      'The script of this page could not be loaded: the gateway does not answer, or it was updated. Load the page again.'
    throw new ApiError(0, { detail })
  }
}

function Header() {
  const isOpen = useSignal(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      isOpen.value = true
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const who = person.value
  const pages = listPages(who, may)
  const here = findListed(pages, route.value, who)
  return (
    <header class="top">
      <a class="brand" href="#/">
        Skillgate
      </a>
      <nav aria-label="Pages">
        {pages.map(({ path, title }) => (
          <a
            key={path}
            href={toHref(path.split('/'))}
            aria-current={path === here ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <div class="who">
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isOpen.value = true
          }}
        >
          Find… <kbd>Ctrl K</kbd>
        </button>
        {who.kind === 'administrator' && <span>{`${toShown(who.name)}, ${who.role}`}</span>}
        {who.kind === 'user' && <span>{toShown(who.username)}</span>}
        {who.kind === 'nobody' ? (
          <a href="#/">Sign in</a>
        ) : (
          <button type="button" class="quiet" onClick={() => signOut()}>
            Sign out
          </button>
        )}
      </div>
      {isOpen.value && (
        <Palette
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </header>
  )
}

function focusMain(): void {
  document.getElementById('main')?.focus()
}
