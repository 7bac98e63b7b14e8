"""Training of the finder (dicevision.seek): drawn tables with dice of every type, the net, the model files.

`python -m training.finder --out OUT` draws, trains and writes the model; stopped, it goes on where it was.

clutter.py what lies on tables and is no die · table.py dice on a table, outlines as labels · shards.py keeps them on
disk · targets.py what the net shall say of a picture · net.py, fit.py the net and its training.
"""
