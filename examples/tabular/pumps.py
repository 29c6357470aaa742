"""A table of pumps, as a data logger writes it: semicolons, a site in words, holes, negative decimals."""
import random
r = random.Random(7)
kinds = ['steel', 'brass', 'polymer']
print('id;temperature;vibration;flow;pressure;material;state')
for i in range(3000):
    state = r.choice(['normal', 'leak', 'cavitation', 'blocked'])
    m = r.choice(kinds)
    t = r.gauss(-4 if state == 'normal' else 6 if state == 'blocked' else 1, 3) + (2 if m == 'polymer' else 0)
    v = abs(r.gauss({'normal': 0.8, 'leak': 1.1, 'cavitation': 3.4, 'blocked': 1.9}[state], 0.4))
    f = r.gauss({'normal': 12, 'leak': 11, 'cavitation': 9, 'blocked': 3}[state], 1.5)
    p = r.gauss({'normal': 0.2, 'leak': -0.9, 'cavitation': -1.6, 'blocked': 1.5}[state], 0.5)
    row = [f'{t:.1f}', f'{v:.2f}', f'{f:.1f}', f'{p:.3f}', m]
    for k, share in ((0, 0.05), (1, 0.02), (4, 0.03)):
        if r.random() < share:
            row[k] = '' if k != 4 else '?'
    print(';'.join([str(1000 + i)] + row + [state]))
