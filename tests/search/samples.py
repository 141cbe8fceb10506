"""Short files in every language whose definitions are found, with the definitions."""

from __future__ import annotations

#: by path: the content, and what it defines as (qualified name, kind, line)
SAMPLES: dict[str, tuple[str, list[tuple[str, str, int]]]] = {
    "shop/cart.py": (
        '''"""The cart."""

import os

LIMIT, FLOOR = 10, 0
rate: float = 1.5


class Cart(dict):
    """What is to be bought."""

    currency = "EUR"

    @property
    @cached
    def total(self):
        def inner(row):
            local = row
            return local
        return sum(map(inner, self))

    async def pay(self, amount): ...

    class Row:
        pass


if os.name == "nt":
    def lock(): ...
else:
    def lock(): ...
''',
        [
            *(("LIMIT", "value", 5), ("FLOOR", "value", 5), ("rate", "value", 6), ("Cart", "class", 9)),
            *(
                ("Cart.currency", "value", 12),
                ("Cart.total", "method", 16),
                ("Cart.total.inner", "function", 17),
            ),
            *(("Cart.pay", "method", 22), ("Cart.Row", "class", 24), ("lock", "function", 29)),
            ("lock", "function", 31),
        ],
    ),
    "web/app.js": (
        """import x from './x';
class View extends Base {
  static count = 0;
  handler = (event) => { this.go(event); };
  constructor(model) { super(); }
  get title() { return 'a'; }
}
module.exports.start = function (port) { const local = 1; return local; };
View.prototype.draw = function () {};
export const useStore = (name) => { const helper = () => 1; return helper; };
const TIMEOUT = 5, twice = n => n * 2;
export default { methods: { reload() {} } };
for (const each of []) { const hidden = 1; }
""",
        [
            *(("View", "class", 2), ("View.handler", "method", 4), ("View.constructor", "method", 5)),
            *(("View.title", "method", 6), ("start", "function", 8), ("View.draw", "function", 9)),
            *(("useStore", "function", 10), ("useStore.helper", "function", 10), ("TIMEOUT", "value", 11)),
            *(("twice", "function", 11), ("reload", "method", 12)),
        ],
    ),
    "web/api.ts": (
        """export interface Repo<T> { find(id: string): T; size: number }
@Injectable()
export abstract class Service<T> implements Repo<T> {
  private cache = new Map<string, T>();
  abstract find(id: string): T;
  save(item: T): void {}
}
export type Id = string;
enum Color { Red }
namespace Net { export function open(): void {} const port = 1; }
function over(a: string): void;
export const load = async (id: Id): Promise<void> => {};
""",
        [
            *(("Repo", "class", 1), ("Repo.find", "declaration", 1), ("Service", "class", 3)),
            *(
                ("Service.cache", "value", 4),
                ("Service.find", "declaration", 5),
                ("Service.save", "method", 6),
            ),
            *(
                ("Id", "type", 8),
                ("Color", "type", 9),
                ("Net", "namespace", 10),
                ("Net.open", "function", 10),
            ),
            *(("Net.port", "value", 10), ("over", "declaration", 11), ("load", "function", 12)),
        ],
    ),
    "web/page.tsx": (
        """export function Page(props: Props) { return <div>{props.title}</div>; }
""",
        [("Page", "function", 1)],
    ),
    "net/server.go": (
        """package net

// Server serves.
type Server struct{ port int }

type Handler interface {
	Serve(w Writer)
}

func (s *Server) Run(h Handler) error { local := 1; var inner = 2; return s.loop(local, inner) }

func (l List[T]) Len() int { return 0 }

func New() *Server { return nil }

const Max = 1

var (
	first = 1
	last  = 2
)
""",
        [
            *(("Server", "type", 4), ("Handler", "type", 6), ("Handler.Serve", "declaration", 7)),
            *(("Server.Run", "method", 10), ("List.Len", "method", 12), ("New", "function", 14)),
            *(("Max", "value", 16), ("first", "value", 19), ("last", "value", 20)),
        ],
    ),
    "src/lib.rs": (
        """impl<T> Display for Ring<T> {
    /// Writes it.
    fn fmt(&self) {}
}
mod inner { struct Hidden; enum Side { Left } trait Walk { fn step(&self); } }
mod elsewhere;
const SIZE: u8 = 1;
macro_rules! twice { () => {} }
pub fn run<T>(x: T) -> T { x }
""",
        [
            *(("Ring.fmt", "method", 3), ("inner", "namespace", 5), ("inner.Hidden", "type", 5)),
            *(("inner.Side", "type", 5), ("inner.Side.Left", "value", 5), ("inner.Walk", "class", 5)),
            *(("inner.Walk.step", "declaration", 5), ("SIZE", "value", 7), ("twice", "macro", 8)),
            ("run", "function", 9),
        ],
    ),
    "src/Shop.java": (
        """package shop;
@Service public class Shop<T> extends Base {
  int size = 1;
  Shop() {}
  void open() { close(); }
  enum State { OPEN; }
  interface Door { int width(); }
  record Point(int x) {}
}
""",
        [
            *(("Shop", "class", 2), ("Shop.size", "value", 3), ("Shop.Shop", "method", 4)),
            *(("Shop.open", "method", 5), ("Shop.State", "class", 6), ("Shop.State.OPEN", "value", 6)),
            *(("Shop.Door", "class", 7), ("Shop.Door.width", "method", 7), ("Shop.Point", "class", 8)),
        ],
    ),
    "src/list.c": (
        """#include <x.h>
/* Finds it. */
static int *find(int a, char **b) { int local = 0; return 0; }
struct node { int a; };
typedef struct pair { int q; } pair_t;
#define LIMIT 1
int announced(void);
int total = 3;
enum side { LEFT, RIGHT };
int (*callback)(int);
struct node *use(struct node *given);
""",
        [
            *(("find", "function", 3), ("node", "type", 4), ("pair_t", "type", 5), ("pair", "type", 5)),
            *(("LIMIT", "macro", 6), ("announced", "declaration", 7), ("total", "value", 8)),
            *(("side", "type", 9), ("side.LEFT", "value", 9), ("side.RIGHT", "value", 9)),
            *(("callback", "value", 10), ("use", "declaration", 11)),
        ],
    ),
    "src/ring.cpp": (
        """namespace a { class Ring : public B { public: Ring(); ~Ring() {} int size() const {} int n; }; }
int a::Ring::push(int x) { return 1; }
template <class T>
T *first(T &a) { return &a; }
template <class T> void Tree<T>::walk() {}
struct Point { int z; };
enum class Side { Left };
using Id = int;
bool operator==(Point a, Point b) { return true; }
namespace b::c { void deep(); }
std::vector<int> &all(int) { }
""",
        [
            *(("a", "namespace", 1), ("a.Ring", "class", 1), ("a.Ring.Ring", "declaration", 1)),
            *(("a.Ring.~Ring", "method", 1), ("a.Ring.size", "method", 1), ("a.Ring.push", "function", 2)),
            *(
                ("first", "function", 4),
                ("Tree.walk", "function", 5),
                ("Point", "type", 6),
                ("Side", "type", 7),
            ),
            *(("Side.Left", "value", 7), ("Id", "type", 8), ("operator==", "function", 9)),
            *(("b.c", "namespace", 10), ("b.c.deep", "declaration", 10), ("all", "function", 11)),
        ],
    ),
    "include/ring.h": (
        """class Ring { public: int size() const { return n; } private: int n; };
""",
        [("Ring", "class", 1), ("Ring.size", "method", 1)],
    ),
}
