/** The frame of all pages: who is signed in, where one can go, and the page itself. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { findListed, findPage, listPages } from '../pages/pages.ts'
import { Empty } from '../parts/states.tsx'
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
            <p>Choose one on the left, or press Ctrl-K to find one.</p>
          </Empty>
        ) : (
          <>
            <header class="page-head">
              <h1>{found.page.title}</h1>
              {found.page.command !== undefined && (
                <CopyButton text={found.page.command(found)} label="Copy as command line" />
              )}
            </header>
            {found.page.render(found)}
          </>
        )}
      </main>
    </>
  )
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
