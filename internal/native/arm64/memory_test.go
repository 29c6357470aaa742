package arm64

import "fmt"

// memoryRows returns the loads and stores of one register, with every kind of address.
func memoryRows() []row {
	vector := func(letter string, do func(a *Asm, t V, m Mem)) func(*Asm, X, Mem) string {
		return func(a *Asm, t X, m Mem) string {
			do(a, V(t), m)
			return fmt.Sprint(letter, int(t))
		}
	}
	general := func(text func(X) string, do func(a *Asm, t X, m Mem)) func(*Asm, X, Mem) string {
		return func(a *Asm, t X, m Mem) string {
			do(a, t, m)
			return text(t)
		}
	}
	var rows []row
	for _, c := range []struct {
		name   string
		log    int
		vector bool
		do     func(a *Asm, t X, m Mem) string
	}{
		{"ldr", 4, true, vector("q", (*Asm).LdrQ)},
		{"str", 4, true, vector("q", (*Asm).StrQ)},
		{"ldr", 3, false, general(x64, (*Asm).Ldr)},
		{"str", 3, false, general(x64, (*Asm).Str)},
		{"str", 2, false, general(x32, (*Asm).StrW)},
		{"strh", 1, false, general(x32, (*Asm).Strh)},
		{"ldrb", 0, false, general(x32, (*Asm).Ldrb)},
		{"strb", 0, false, general(x32, (*Asm).Strb)},
	} {
		rows = append(rows, func(a *Asm, d *draws) string {
			offset, n, t := d.from(0, 4095<<c.log, 1<<c.log), d.x(), d.x()
			return fmt.Sprintf("%s %s, [%s, #%d]", c.name, c.do(a, t, At(n, offset)), base(n), offset)
		}, func(a *Asm, d *draws) string {
			offset, n, t := d.from(-256, 255, 1), d.x(), d.x()
			t = apart(t, n, c.vector)
			return fmt.Sprintf("%s %s, [%s, #%d]!", c.name, c.do(a, t, Pre(n, offset)), base(n), offset)
		}, func(a *Asm, d *draws) string {
			offset, n, t := d.from(-256, 255, 1), d.x(), d.x()
			t = apart(t, n, c.vector)
			return fmt.Sprintf("%s %s, [%s], #%d", c.name, c.do(a, t, Post(n, offset)), base(n), offset)
		})
	}
	return append(rows, broadcastRows()...)
}

// apart returns the register t. If t is also a base register that changes, it returns the next register instead,
// because the result of the instruction would be unpredictable.
func apart(t, base X, vector bool) X {
	if t == base && !vector {
		return (t + 1) % 31
	}
	return t
}

// broadcastRows returns the loads of one element into all lanes.
func broadcastRows() []row {
	var rows []row
	for _, l := range arrangements {
		rows = append(rows, func(a *Asm, d *draws) string {
			x, n := d.v(), d.x()
			a.Ld1r(l.t, x, At(n, 0))
			return fmt.Sprintf("ld1r {v%d.%s}, [%s]", x, l.text, base(n))
		}, func(a *Asm, d *draws) string {
			x, n := d.v(), d.x()
			a.Ld1r(l.t, x, Post(n, l.bits/8))
			return fmt.Sprintf("ld1r {v%d.%s}, [%s], #%d", x, l.text, base(n), l.bits/8)
		})
	}
	return rows
}

// pairRows returns the loads and stores of two registers.
func pairRows() []row {
	vectors := func(letter string, do func(a *Asm, t, u V, m Mem)) func(*Asm, X, X, Mem) string {
		return func(a *Asm, t, u X, m Mem) string {
			do(a, V(t), V(u), m)
			return fmt.Sprintf("%s%d, %s%d", letter, t, letter, u)
		}
	}
	generals := func(do func(a *Asm, t, u X, m Mem)) func(*Asm, X, X, Mem) string {
		return func(a *Asm, t, u X, m Mem) string {
			do(a, t, u, m)
			return x64(t) + ", " + x64(u)
		}
	}
	var rows []row
	for _, c := range []struct {
		name   string
		size   int
		vector bool
		do     func(a *Asm, t, u X, m Mem) string
	}{
		{"ldp", 8, true, vectors("d", (*Asm).LdpD)},
		{"stp", 8, true, vectors("d", (*Asm).StpD)},
		{"ldp", 8, false, generals((*Asm).Ldp)},
		{"stp", 8, false, generals((*Asm).Stp)},
	} {
		for _, m := range []struct {
			address func(base X, offset int) Mem
			text    string
		}{{At, "[%s, #%d]"}, {Pre, "[%s, #%d]!"}, {Post, "[%s], #%d"}} {
			rows = append(rows, func(a *Asm, d *draws) string {
				offset, n, t, u := d.from(-64*c.size, 63*c.size, c.size), d.x(), d.x(), d.x()
				t = apart(t, n, c.vector)
				for u == t || u == n && !c.vector {
					u = (u + 1) % 31
				}
				return fmt.Sprintf("%s %s, "+m.text, c.name, c.do(a, t, u, m.address(n, offset)), base(n), offset)
			})
		}
	}
	return rows
}
