// Nothing: the headers that tests share are compiled with this file (see CMakeLists.txt).
